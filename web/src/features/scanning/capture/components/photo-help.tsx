import { PhotoHints } from '@/components/drawings/photo-hint';

/** How to photograph a part, for those who ask at the camera. */
export function PhotoHelp() {
  return <PhotoHints views={['whole', 'side', 'face', 'marking', 'both-sides', 'scale']} />;
}
