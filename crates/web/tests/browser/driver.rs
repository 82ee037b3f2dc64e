//! A browser for a test: Debian's chromium, led by its driver.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use ludex_web::{WebOptions, WebServer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A process that ends with the test.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the driver; its port. None if it is not installed.
fn driver() -> Option<(Driver, u16)> {
    let mut child = Command::new("chromedriver")
        .args(["--port=0", "--log-level=SEVERE"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let driver = Driver(child);
    let line = lines.find(|line| line.contains("started successfully on port")).unwrap();
    let port = line.trim_end_matches('.').rsplit(' ').next().unwrap().parse().unwrap();
    // Somebody must go on reading.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

/// A page in a browser, and the server that it comes from.
pub(crate) struct Page {
    pub(crate) client: Client,
    pub(crate) url: String,
    port: u16,
    server: Rc<RefCell<Option<WebServer>>>,
    folder: Rc<TempDir>,
}

/// A server whose results of experiments go to a folder.
fn server(address: SocketAddr, folder: &TempDir) -> WebServer {
    let lab = Some(folder.path().join("lab"));
    WebServer::start(WebOptions { memory: 64 << 20, lab, ..WebOptions::new(address) }).unwrap()
}

/// How long a page may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a test in a browser. Without a browser it says so; where it must run, that fails.
pub(crate) fn in_browser(test: impl AsyncFnOnce(&Page)) {
    let Some((_driver, port)) = driver() else {
        assert_ne!(
            std::env::var("CI").as_deref(),
            Ok("true"),
            "chromium and chromium-driver are needed here"
        );
        eprintln!("NOT RUN: tests of the page need chromium and chromium-driver (apt install)");
        return;
    };
    let folder = Rc::new(tempfile::tempdir().unwrap());
    let server = server(([127, 0, 0, 1], 0).into(), &folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = server.url();
        let server = Rc::new(RefCell::new(Some(server)));
        let page = Page { client: session(port, &[]).await, url, port, server, folder };
        page.go("/").await;
        test(&page).await;
        page.client.close().await.unwrap();
    });
}

/// A browser of its own.
async fn session(port: u16, more: &[&str]) -> Client {
    let mut arguments = vec![
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,900",
    ];
    arguments.extend(more);
    let options = json!({ "goog:chromeOptions": { "args": arguments }, "timeouts": { "script": 120_000 } });
    let Value::Object(options) = options else { panic!("options are an object") };
    let mut builder = ClientBuilder::new(HttpConnector::new());
    builder.capabilities(options);
    builder.connect(&format!("http://127.0.0.1:{port}")).await.unwrap()
}

impl Page {
    /// The same server in another browser, which knows nothing of this one.
    pub(crate) async fn another(&self) -> Page {
        self.opened(&[]).await
    }

    /// The same server in another browser, whose system asks for dark colours.
    pub(crate) async fn dark(&self) -> Page {
        let page = self.opened(&["--blink-settings=preferredColorScheme=0"]).await;
        page.until("matchMedia('(prefers-color-scheme: dark)').matches").await;
        page
    }

    async fn opened(&self, arguments: &[&str]) -> Page {
        let client = session(self.port, arguments).await;
        let (server, folder) = (Rc::clone(&self.server), Rc::clone(&self.folder));
        Page { client, url: self.url.clone(), port: self.port, server, folder }
    }

    /// Ends the server and starts another one at the same address.
    pub(crate) fn restart(&self) {
        let old = self.server.borrow_mut().take().unwrap();
        let address = old.address();
        let folder: &TempDir = &self.folder;
        // A server has a runtime of its own, which nobody starts inside of another one.
        let new = std::thread::scope(|scope| {
            let restart = || {
                drop(old);
                // What the old one held is free in a moment.
                let begun = std::time::Instant::now();
                while std::net::TcpListener::bind(address).is_err() && begun.elapsed() < PATIENCE {
                    std::thread::sleep(Duration::from_millis(20));
                }
                server(address, folder)
            };
            scope.spawn(restart).join().unwrap()
        });
        *self.server.borrow_mut() = Some(new);
    }

    /// Ends a browser that was opened with [`another`](Self::another).
    pub(crate) async fn close(self) {
        self.client.close().await.unwrap();
    }

    /// Goes to an address of the server.
    pub(crate) async fn go(&self, path: &str) {
        self.client.goto(&format!("{}{path}", self.url.trim_end_matches('/'))).await.unwrap();
    }

    /// The first element that fits, when it is there.
    pub(crate) async fn find(&self, css: &str) -> Element {
        let wait = self.client.wait().at_most(PATIENCE);
        wait.for_element(Locator::Css(css)).await.unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    /// Clicks on the first element that fits, when it is there.
    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// What a script returns.
    pub(crate) async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until a script returns true.
    pub(crate) async fn until(&self, script: &str) {
        let begun = std::time::Instant::now();
        while self.script(&format!("return Boolean({script});")).await != json!(true) {
            if begun.elapsed() > PATIENCE {
                let body = self.script("return document.body.innerText;").await;
                panic!("{script} never became true; the page says {body}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The line that says how things are.
    pub(crate) async fn status(&self) -> String {
        self.script("return document.querySelector('.status').textContent;")
            .await
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Chooses an option of a field by its value.
    pub(crate) async fn choose(&self, css: &str, value: &str) {
        self.find(css).await.select_by_value(value).await.unwrap();
    }

    /// Presses a key, where the keyboard is.
    pub(crate) async fn press(&self, key: &str) {
        let element = self.client.active_element().await.unwrap();
        element.send_keys(key).await.unwrap();
    }
}
