//! Alternatives multiplied out: answer-set programs have no `or` within a rule.

use ludex_gdl::Condition;

/// All lists of conditions without alternatives that together mean the same as `body`; `None` if
/// there are more than `limit`.
pub(crate) fn expanded(body: &[Condition], limit: usize) -> Option<Vec<Vec<&Condition>>> {
    let mut all: Vec<Vec<&Condition>> = vec![Vec::new()];
    for condition in body {
        let Condition::Any(branches) = condition else {
            all.iter_mut().for_each(|list| list.push(condition));
            continue;
        };
        let mut longer = Vec::new();
        for branch in branches {
            for inner in expanded(branch, limit)? {
                for list in &all {
                    if longer.len() == limit {
                        return None;
                    }
                    longer.push(list.iter().chain(&inner).copied().collect());
                }
            }
        }
        all = longer;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_gdl::{Source, load};

    #[test]
    fn alternatives_multiply_up_to_the_limit() {
        let text = "(p 1) (<= (r ?x) (or (p ?x) (p 1)) (p ?x) (or (p 2) (or (p 3) (p 4))))";
        let rules = load(&Source::new("test.kif", text)).rules;
        let body = &rules.rules.last().expect("a rule").body;
        let all = expanded(body, 6).expect("six lists");
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|list| list.len() == 3));
        assert!(expanded(body, 5).is_none());
    }

    #[test]
    fn no_alternative_means_never() {
        assert_eq!(expanded(&[Condition::Any(Vec::new())], 10), Some(Vec::new()));
    }
}
