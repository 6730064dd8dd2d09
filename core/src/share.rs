//! Shares of what is bounded: somebody who wants all of it leaves something for whoever comes next.
//!
//! Those that share an address or a user have together at most three times what is then left for everybody
//! else, and each of them at most three times what is then left for the others of its group. A share shrinks as
//! others come, however many want all of it (dynamic thresholds, Choudhury and Hahne 1998).

/// How many times what is left somebody may have.
const SHARE: usize = 3;

/// Returns whether one more is within the shares of a group and of one in it, where there are `bound` in all.
pub(crate) const fn is_within_share(bound: usize, all: usize, group: usize, own: usize) -> bool {
    // What the others have not taken. The group may have more of it for as long as it has at most `SHARE` times
    // what is left once it has one more.
    let left = bound.saturating_sub(all - group);
    if left == 0 {
        return false;
    }
    let left_to_group = (SHARE.saturating_mul(left - 1) / (SHARE + 1) + 1).saturating_sub(group);
    left_to_group > 0 && own <= SHARE.saturating_mul(left_to_group - 1)
}

/// Returns whether so many bytes more may be kept for one of a group, where there may be `bound` in all: one has
/// at most as much as is left to its group then, which has at most three times what is left for everybody else.
///
/// A 65,536th of the bound is anybody's, so that those that need little are served where others want all.
pub(crate) const fn is_room(bound: usize, all: usize, group: usize, own: usize, more: usize) -> bool {
    let own = own.saturating_add(more);
    let of_group = bound.saturating_sub(all - group) / (SHARE + 1) * SHARE;
    own <= bound >> 16 || own <= of_group.saturating_sub(group).saturating_sub(more)
}
