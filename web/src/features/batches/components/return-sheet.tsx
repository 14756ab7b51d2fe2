import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readOn } from '@/api/page';
import { NextPageFailure } from '@/components/load-failure';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { WholePhotos } from '@/features/batches/components/whole-photos';
import { answerOf, checkOf, scansOf, sureOf } from '@/features/batches/model';
import { batchQueries, gradeQueries, SENT_ITEMS, type BatchItem } from '@/features/batches/queries';
import { countOf, formatDate, formatPercent } from '@/lib/format';

/** A batch as a sheet of paper: each item with its photos as evidence, its part, grade, damage and note. */
export function ReturnSheet({ id }: { id: string }) {
  const batch = useQuery(batchQueries.one(id));
  const pages = useInfiniteQuery(batchQueries.items(id, SENT_ITEMS, false));
  // Without it the sheet stands all the same.
  const scale = useQuery(gradeQueries.scale()).data?.grades ?? [];
  const { hasNextPage } = pages;
  // Paper has no scrolling: all of it is read.
  useEffect(() => readOn(pages));
  const sheet = useRef<HTMLElement>(null);
  const print = async () => {
    const pictures = [...(sheet.current?.querySelectorAll('img') ?? [])];
    for (const picture of pictures) picture.loading = 'eager';
    // One that cannot be had keeps none of the others from the paper.
    await Promise.allSettled(pictures.map((picture) => picture.decode()));
    window.print();
  };
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  // In the order of the scale, and after them those that have left it.
  const grades = new Map(scale.map((grade) => [grade, 0]));
  for (const { grade } of items) {
    if (grade !== null) grades.set(grade.grade, (grades.get(grade.grade) ?? 0) + 1);
  }
  return (
    <>
      <QueryState query={batch} what="The batch" label="Loading the batch" />
      <QueryState query={pages} what="The photos" label="Loading photos" />
      <NextPageFailure pages={pages} />
      {batch.data !== undefined && pages.data !== undefined && (
        <article ref={sheet} className="grid grid-cols-1 gap-4">
          <header className="flex flex-wrap items-end justify-between gap-3">
            <div className="min-w-0">
              <h2 className="section-title wrap-anywhere">{batch.data.name}</h2>
              <p className="text-sm wrap-anywhere text-soft">
                {formatDate(batch.data.createdAt)}, {countOf(items.length, 'item')}
                {[...grades].map(([grade, count]) => count > 0 && `, ${count} graded ${grade}`)}
              </p>
            </div>
            <Button
              look="primary"
              className="print:hidden"
              disabled={hasNextPage}
              onClick={() => void print()}
            >
              {hasNextPage && !pages.isFetchNextPageError ? 'Loading...' : 'Print'}
            </Button>
          </header>
          <ol className="grid grid-cols-1 gap-0 border-t">
            {items.map((item) => (
              <Line key={item.id} item={item} />
            ))}
          </ol>
        </article>
      )}
    </>
  );
}

function Line({ item }: { item: BatchItem }) {
  const { grade } = item;
  const sure = sureOf(item);
  const check = checkOf(item);
  const pictures = scansOf(item).flatMap(({ thumbnailUrl }) => thumbnailUrl ?? []);
  return (
    <li className="flex items-start gap-4 border-b py-3 break-inside-avoid">
      <div className="flex w-24 flex-none flex-wrap gap-1 sm:w-28">
        {pictures.map((url) => (
          <img key={url} src={url} alt="" loading="lazy" className="max-h-24 rounded-md" />
        ))}
      </div>
      <div className="min-w-0 flex-1 text-sm">
        <div className="flex flex-wrap items-start justify-between gap-x-3">
          <p className="min-w-0 flex-1 basis-[8rem] font-medium wrap-anywhere">{answerOf(item)}</p>
          <p className="ml-auto max-w-full text-right text-lg/5 font-semibold">
            {grade?.grade ?? (
              <>
                <span aria-hidden>-</span>
                <span className="sr-only">Not graded</span>
              </>
            )}
          </p>
        </div>
        <p className="text-muted wrap-anywhere">
          <bdi>{item.file}</bdi>
          {/* How sure the answer was says nothing of what a person put in its place. */}
          {check !== null ? `, ${check}` : sure !== null && `, ${formatPercent(sure.confidence)}`}
        </p>
        {grade !== null && grade.damage.length > 0 && <p>{grade.damage.join('; ')}</p>}
        {grade !== null && grade.note !== '' && (
          <p className="text-soft wrap-anywhere">{grade.note}</p>
        )}
        <div className="mt-2 grid grid-cols-1 justify-items-start gap-2 empty:hidden print:hidden">
          <WholePhotos item={item} />
        </div>
      </div>
    </li>
  );
}
