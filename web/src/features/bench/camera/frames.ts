import type { Grid, Region } from '@/features/bench/watching/grid';
import type { Photo } from '@/lib/photos/photo';

/** Cells across; as many down as the shape of the picture asks for. */
const GRID_WIDTH = 96;
const JPEG_QUALITY = 0.9;
/** Longest side of the small picture in the list, in pixels. */
const THUMB_SIDE = 192;
/** Left around a part, as a share of its size: the model learnt parts with some room around them. */
const MARGIN = 0.25;
/** The least side of a cut-out, as a share of the picture's height: of less, a camera shows no more than a blur. */
const LEAST_SIDE = 0.3;

/** What is cut out of a frame: the photograph, once it is written, and a small picture as a `data:` address. */
export type Shot = { photo: Promise<Photo | null>; thumb: string };

/** Reads frames of a video as small grey grids; null while there is no picture. */
export function frameReader(): (video: HTMLVideoElement) => Grid | null {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return (video) => {
    const { videoWidth, videoHeight } = video;
    if (context === null || videoWidth === 0 || videoHeight === 0) return null;
    const height = Math.max(1, Math.round((GRID_WIDTH * videoHeight) / videoWidth));
    if (canvas.width !== GRID_WIDTH || canvas.height !== height) {
      canvas.width = GRID_WIDTH;
      canvas.height = height;
      // Averages the pixels of a cell, which takes the noise of the camera away.
      context.imageSmoothingQuality = 'high';
    }
    context.drawImage(video, 0, 0, GRID_WIDTH, height);
    const { data } = context.getImageData(0, 0, GRID_WIDTH, height);
    const cells = new Float32Array(GRID_WIDTH * height);
    for (let at = 0; at < cells.length; at += 1) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at * 4, at * 4 + 3);
      // ITU-R BT.601 luma.
      cells[at] = 0.299 * red + 0.587 * green + 0.114 * blue;
    }
    return { width: GRID_WIDTH, height, cells };
  };
}

type Box = { x: number; y: number; width: number; height: number };

/** The pixels to cut out for a part: with a margin, not too small, and no narrower than 3 to 4 where there is room. */
export function cutOf(region: Region, width: number, height: number): Box {
  const side = LEAST_SIDE * height;
  const grown = (from: number, to: number, whole: number) =>
    Math.min(whole, Math.max(side, (to - from) * whole * (1 + 2 * MARGIN)));
  let w = grown(region.left, region.right, width);
  let h = grown(region.top, region.bottom, height);
  w = Math.min(width, Math.max(w, h * 0.75));
  h = Math.min(height, Math.max(h, w * 0.75));
  const placed = (middle: number, size: number, whole: number) =>
    Math.round(Math.min(whole - size, Math.max(0, middle * whole - size / 2)));
  return {
    x: placed((region.left + region.right) / 2, w, width),
    y: placed((region.top + region.bottom) / 2, h, height),
    width: Math.round(w),
    height: Math.round(h),
  };
}

/** Cuts a part out of the frame that the video shows at this moment; null while it shows none. */
export function shoot(video: HTMLVideoElement, region: Region): Shot | null {
  if (video.videoWidth === 0) return null;
  const box = cutOf(region, video.videoWidth, video.videoHeight);
  const whole = drawn(video, box, 1);
  const small = drawn(video, box, THUMB_SIDE / Math.max(box.width, box.height));
  if (whole === null || small === null) return null;
  const photo = new Promise<Photo | null>((resolve) =>
    whole.toBlob(
      (blob) => resolve(blob === null ? null : { blob, name: 'bench.jpg' }),
      'image/jpeg',
      JPEG_QUALITY,
    ),
  );
  return { photo, thumb: small.toDataURL('image/jpeg', 0.7) };
}

function drawn(video: HTMLVideoElement, box: Box, scale: number): HTMLCanvasElement | null {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.imageSmoothingQuality = 'high';
  context.drawImage(video, box.x, box.y, box.width, box.height, 0, 0, canvas.width, canvas.height);
  return canvas;
}
