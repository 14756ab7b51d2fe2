import { Holders } from '@/lib/holders';

/** What is on screen and nowhere else. */
const work = new Holders();

/** Whether anything on screen would be lost with the screen. */
export function hasUnsavedWork(): boolean {
  return work.any;
}

/** Says that something is on screen and nowhere else, until the returned function is called. */
export function holdUnsavedWork(): () => void {
  return work.hold();
}
