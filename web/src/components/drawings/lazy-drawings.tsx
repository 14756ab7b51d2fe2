import { Suspense, type ComponentProps, type ReactNode } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';

// Drawings are many lines of path data, and help; nobody waits for them.
const PartPictures = lazyComponent(
  async () => (await import('@/components/drawings/part-pictures')).PartPictures,
);
const PhotoHint = lazyComponent(
  async () => (await import('@/components/drawings/photo-hint')).PhotoHint,
);
const PhotoHints = lazyComponent(
  async () => (await import('@/components/drawings/photo-hint')).PhotoHints,
);
const WearHint = lazyComponent(async () => (await import('@/components/drawings/wear')).WearHint);

/** Where a part sits, once its drawings are there; nothing where they do not arrive. */
export function LazyPartPictures(props: ComponentProps<typeof PartPictures>) {
  return (
    <Aside waiting={<div className="h-48" />}>
      <PartPictures {...props} />
    </Aside>
  );
}

export function LazyPhotoHint(props: ComponentProps<typeof PhotoHint>) {
  return (
    <Aside>
      <PhotoHint {...props} />
    </Aside>
  );
}

export function LazyPhotoHints(props: ComponentProps<typeof PhotoHints>) {
  return (
    <Aside>
      <PhotoHints {...props} />
    </Aside>
  );
}

export function LazyWearHint(props: ComponentProps<typeof WearHint>) {
  return (
    <Aside>
      <WearHint {...props} />
    </Aside>
  );
}

type AsideProps = { waiting?: ReactNode; children: ReactNode };

/** What is left out, without a word, where its code does not arrive: the words beside it say the same. */
function Aside({ waiting = null, children }: AsideProps) {
  return (
    <ErrorBoundary what="The drawing" fallback={null}>
      <Suspense fallback={waiting}>{children}</Suspense>
    </ErrorBoundary>
  );
}
