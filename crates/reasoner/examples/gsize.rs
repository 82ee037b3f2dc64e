use ludex_gdl::*;
use ludex_reasoner::*;
fn main() {
    for f in std::env::args().skip(1) {
        let s = Source::new(f.clone(), std::fs::read(&f).unwrap());
        let l = load(&s);
        let t = std::time::Instant::now();
        let lim = Limits { time: std::time::Duration::from_secs(20), ..Limits::default() };
        match Ground::new(&l.rules, &lim) {
            Ok(g) => {
                let z = g.size();
                let t1 = t.elapsed().as_secs_f64();
                let c = circuit_size(g);
                println!(
                    "{} {:?} {:.3}s {:?} {:.3}s",
                    f.rsplit('/').next().unwrap(),
                    z,
                    t1,
                    c,
                    t.elapsed().as_secs_f64()
                )
            }
            Err(e) => {
                println!("{} STOP {} {:.3}s", f.rsplit('/').next().unwrap(), e, t.elapsed().as_secs_f64())
            }
        }
    }
}
