// What the page uses of CodeMirror, as one module.
export { EditorState, Compartment, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, hoverTooltip, keymap,
  lineNumbers } from "@codemirror/view";
export { HighlightStyle, StreamLanguage, bracketMatching, foldGutter, indentOnInput, syntaxHighlighting }
  from "@codemirror/language";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { forceLinting, lintGutter, lintKeymap, linter, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { tags } from "@lezer/highlight";
