//! Whether work grows no faster than its input: sizes are held against each other within one run, so that it
//! does not matter how fast the machine is or who shares it.

use std::{hint::black_box, time::Duration};

/// How often a pair of sizes is measured before what it says is believed.
const ATTEMPTS: usize = 5;

/// Checks that work on the larger of two sizes costs at most twice what it would if it cost the same for each
/// part: quadratic work on four times the size costs four times that.
///
/// `prepare` makes the work of a size, which is not measured.
pub(super) fn assert_linear<W: FnMut()>(what: &str, sizes: [usize; 2], prepare: impl Fn(usize) -> W) {
    let [mut small, mut large] = sizes.map(prepare);
    let [mut least_small, mut least_large] = [Duration::MAX; 2];
    let growth = u32::try_from(sizes[1] / sizes[0]).unwrap();
    for _ in 0..ATTEMPTS {
        least_small = least_small.min(cost(&mut small));
        least_large = least_large.min(cost(&mut large));
        // What disturbs a measurement adds to it, so the least of some is the nearest to the truth.
        if least_large <= least_small * growth * 2 {
            return;
        }
    }
    panic!("{what}: {least_small:?} for {}, {least_large:?} for {}", sizes[0], sizes[1]);
}

fn cost(work: &mut impl FnMut()) -> Duration {
    let before = computed();
    work();
    computed().saturating_sub(before)
}

/// Returns how long this thread has computed; the time that others had the processor does not count.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap())
}

/// Returns the time, where a thread's own is not to be had.
#[cfg(not(unix))]
fn computed() -> Duration {
    use std::{sync::LazyLock, time::Instant};

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[test]
#[should_panic(expected = "squares: ")]
fn work_that_grows_with_the_square_of_its_size_is_told_from_linear_work() {
    let work = |size: u64| {
        move || {
            let sum = (0..size).flat_map(|left| (0..size).map(move |right| left ^ right)).fold(0, u64::max);
            black_box(sum);
        }
    };
    assert_linear("squares", [300, 1_200], |size| work(size as u64));
}
