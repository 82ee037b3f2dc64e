//! The files of the page, embedded in the binary. Packed once, when they are first asked for.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;

use crate::reply::{Answer, Refusal};

#[derive(RustEmbed)]
#[folder = "assets"]
struct Files;

/// A file as it is sent.
#[derive(Debug)]
struct Asset {
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
    tag: HeaderValue,
}

/// By path.
static ASSETS: LazyLock<BTreeMap<String, Arc<Asset>>> = LazyLock::new(|| {
    Files::iter().filter_map(|path| Some((path.to_string(), Arc::new(asset(&path)?)))).collect()
});

fn asset(path: &str) -> Option<Asset> {
    let file = Files::get(path)?;
    let plain = Bytes::from(file.data.into_owned());
    let packed = pack(&plain)?;
    let hash = file.metadata.sha256_hash();
    let hash: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = HeaderValue::from_str(&format!("\"{hash}\"")).ok()?;
    Some(Asset { kind: kind(path), plain, packed, tag })
}

/// Compressed as browsers take it.
pub(crate) fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(plain).ok()?;
    Some(Bytes::from(packer.finish().ok()?))
}

/// Whether a header has a word.
fn has(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains(word))
}

/// Whether a browser takes what is compressed.
pub(crate) fn takes_packed(headers: &HeaderMap) -> bool {
    has(headers, header::ACCEPT_ENCODING, "gzip")
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}

/// The page itself, whatever part of it is asked for.
pub(crate) const PAGE: &str = "index.html";

/// A file of the page.
pub(crate) fn file(path: &str, headers: &HeaderMap) -> Answer {
    let Some(asset) = ASSETS.get(path) else {
        return Err(Refusal::missing("there is no such file"));
    };
    let known = asset.tag.to_str().is_ok_and(|tag| has(headers, header::IF_NONE_MATCH, tag));
    let packs = takes_packed(headers) && asset.packed.len() < asset.plain.len();
    let body = match (known, packs) {
        (true, _) => Body::empty(),
        (false, true) => Body::from(asset.packed.clone()),
        (false, false) => Body::from(asset.plain.clone()),
    };
    let mut response = Response::new(body);
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(header::ETAG, asset.tag.clone());
    // Asked for each time, sent only when it has changed: a new version of the program is used at once.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if packs && !known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_light() {
        assert!(ASSETS.contains_key(PAGE));
        let packed: usize = ASSETS.values().map(|asset| asset.packed.len()).sum();
        assert!(packed < 400 << 10, "all files of the page: {packed} bytes packed");
    }
}
