import { Button } from '@/components/ui/button';
import { wholePhotosOf } from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';

/** A link to each whole photo of an item that is kept as evidence. */
export function WholePhotos({ item }: { item: BatchItem }) {
  const photos = wholePhotosOf(item);
  // `relative`, or the hidden text would stand outside a row that scrolls, and widen the page.
  return photos.map(({ file, url }, index) => (
    <Button key={url} asChild size="small">
      <a href={url} download className="relative shrink-0">
        Whole Photo{photos.length > 1 && ` ${index + 1}`}
        <span className="sr-only"> of {file}</span>
      </a>
    </Button>
  ));
}
