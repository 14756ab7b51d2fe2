//! Memory layout of the channels of a pixel.

/// A tensor of bytes: channels in groups; each group stores one pixel after the other.
///
/// A filter processes one vector of channels at a time. If a group has the size of a vector, it reads one cache
/// line after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    channels: usize,
    /// Channels of a group, which is also the distance of its pixels in bytes.
    group: usize,
    /// The same for the last group.
    last: usize,
    /// Bytes from one group to the next.
    plane: usize,
    /// Number of bits of a channel's index within its group, so that kernels need not divide.
    bits: u32,
}

impl Layout {
    /// All channels of a pixel together.
    pub(super) fn plain(channels: usize) -> Self {
        Self { channels, group: channels, last: channels, plane: 0, bits: usize::BITS - 1 }
    }

    /// Groups of `group` channels, a power of two, the last one of `last`; each has room for `n_pixels`.
    pub(super) fn grouped(channels: usize, group: usize, last: usize, n_pixels: usize) -> Self {
        assert!(group.is_power_of_two() && (1..=group).contains(&last), "BUG: groups");
        assert!((channels - 1) % group < last, "BUG: the last group");
        Self { channels, group, last, plane: n_pixels * group, bits: group.trailing_zeros() }
    }

    /// The first channel of each group.
    pub(super) fn groups(self) -> impl Iterator<Item = usize> {
        (0..self.channels).step_by(self.group)
    }

    /// Offset of a channel in the first pixel.
    #[inline]
    pub(super) fn channel(self, channel: usize) -> usize {
        (channel >> self.bits) * self.plane + (channel & ((1 << self.bits) - 1))
    }

    /// Bytes from one pixel to the next in the group of a channel.
    #[inline]
    pub(super) fn pixel(self, channel: usize) -> usize {
        if channel >> self.bits < (self.channels - 1) >> self.bits { self.group } else { self.last }
    }

    /// Bytes up to the end of the last of `n_pixels` pixels.
    pub(super) fn n_bytes(self, n_pixels: usize) -> usize {
        ((self.channels - 1) >> self.bits) * self.plane + n_pixels * self.last
    }

    /// Channels of a group.
    #[inline]
    pub(super) fn group(self) -> usize {
        self.group
    }

    pub(super) fn channels(self) -> usize {
        self.channels
    }

    pub(super) fn is_plain(self) -> bool {
        self.group == self.channels
    }

    /// Whether it has this number of channels in such groups.
    pub(super) fn is_of(self, channels: usize, group: usize, last: usize) -> bool {
        (self.channels, self.group, self.last) == (channels, group, last)
    }
}

#[cfg(test)]
impl Layout {
    /// Converts pixels `[n, channels]` to this layout.
    pub(super) fn laid_out(self, pixels: &[u8]) -> super::aligned::Aligned {
        let mut all = super::aligned::Aligned::zeroed(self.n_bytes(pixels.len() / self.channels));
        for (index, byte) in pixels.iter().enumerate() {
            all.as_mut_slice()[self.place(index)] = *byte;
        }
        all
    }

    /// The inverse: pixels `[n, channels]`.
    pub(super) fn collected(self, bytes: &[u8], n_pixels: usize) -> Vec<u8> {
        (0..n_pixels * self.channels).map(|index| bytes[self.place(index)]).collect()
    }

    /// Offset of a byte of pixels `[n, channels]`.
    fn place(self, index: usize) -> usize {
        let channel = index % self.channels;
        self.channel(channel) + index / self.channels * self.pixel(channel)
    }
}
