//! Work: dispatches, copies, barriers, both ways to wait.

use super::{Bench, add, all_paths, floats, read_floats, step};

#[test]
fn a_dispatch_computes_on_every_path() {
    for options in all_paths() {
        let bench = Bench::open(&options);
        let device = bench.device();
        let (a, b, y) = (
            floats(&device, &[1.0, 2.0, 3.0, 4.0, 5.0]),
            floats(&device, &[10.0, 20.0, 30.0, 40.0, 50.0]),
            floats(&device, &[0.0; 5]),
        );
        bench.run(vec![step(add(&a, &b, &y), false)]);
        assert_eq!(read_floats(&y), [11.0, 22.0, 33.0, 44.0, 55.0]);
        drop((a, b, y, device));
        bench.close();
    }
}
