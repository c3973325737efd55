//! Connections: so many at once, each under limits of its time.

use super::desk::Client;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Connections at once, of all clients and of one.
const ALL: usize = 1_024;
const OF_ONE: usize = 512;
/// How long a client may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(10);
/// How long a connection lives: whoever wants more connects again, as event streams do by
/// themselves.
const LIFE: Duration = Duration::from_secs(15 * 60);
/// How long the last answer of a connection may take.
const LAST: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const HEAD: usize = 16 << 10;

/// The connections of each client.
type Counts = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// One of a client's connections.
struct Seat {
    counts: Counts,
    client: IpAddr,
}

impl Seat {
    /// A seat, if there is one.
    fn take(counts: &Counts, client: IpAddr) -> Option<Self> {
        let mut held = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if held.values().sum::<usize>() >= ALL {
            return None;
        }
        let own = held.entry(client).or_default();
        if *own >= OF_ONE {
            return None;
        }
        *own += 1;
        drop(held);
        Some(Self { counts: Arc::clone(counts), client })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut held = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.client);
            }
        }
    }
}

/// Takes connections for ever.
pub async fn serve(listener: TcpListener, router: Router) {
    let counts = Counts::default();
    loop {
        match listener.accept().await {
            Ok((stream, from)) => {
                let Some(seat) = Seat::take(&counts, from.ip()) else { continue };
                tokio::spawn(talk(stream, from, router.clone(), seat));
            }
            // No more files can be opened, for instance: it gets better when connections end.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// One connection, to its end.
async fn talk(stream: TcpStream, from: SocketAddr, router: Router, _seat: Seat) {
    let _ = stream.set_nodelay(true);
    let routes = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Client(from.ip()));
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    if timeout(LIFE, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST, connection).await;
    }
}
