import type { Check } from '@/features/scanning/on-device/messages';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';
import type { RgbImage } from '@/features/scanning/on-device/resample';

/**
 * Largest difference of a logit between two engines, as `partsight model verify` allows it between two machines:
 * where activations are int8, a value on the edge of two steps falls to either side with the order of sums.
 */
const MAX_DIFFERENCE = 0.3;

/** A picture that every engine is checked on: a ring with spokes on a slope of grey, somewhat like a wheel. */
export function checkPicture({
  width,
  height,
}: Pick<BrowserModel['input'], 'width' | 'height'>): RgbImage {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const across = (2 * x) / width - 1;
      const down = (2 * y) / height - 1;
      const radius = Math.hypot(across, down);
      const spoke = Math.cos(5 * Math.atan2(down, across)) > 0.4;
      const metal = radius < 0.8 && (radius > 0.6 || radius < 0.2 || spoke);
      const grey = metal ? 90 + 60 * across : 190 + 50 * down;
      rgb.set([grey + 10, grey, grey - 10], 3 * (width * y + x));
    }
  }
  return { width, height, rgb };
}

/** Whether `gpu` answers as `cpu` does, and sooner. */
export function prefersGpu(cpu: Check, gpu: Check): boolean {
  const first = ({ outputs }: Check) => {
    const logits = outputs.subarray(0, -1);
    return logits.indexOf(Math.max(...logits));
  };
  return (
    gpu.runMs < cpu.runMs &&
    gpu.outputs.length === cpu.outputs.length &&
    first(gpu) === first(cpu) &&
    // A value that is no number is within no distance.
    cpu.outputs.every((value, at) => Math.abs(value - (gpu.outputs[at] ?? NaN)) <= MAX_DIFFERENCE)
  );
}
