import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { LoadFailure } from '@/components/load-failure';
import { ReferencePicture } from '@/components/reference-picture';
import { shopPartHref } from '@/config/paths';
import { similarPartsQuery } from '@/features/parts/similar-parts/queries';
import { formatPrice } from '@/lib/format';

type SimilarPartsProps = { scanId: string };

/** The parts of the shop that look like a scan; nothing where none does. */
export function SimilarParts({ scanId }: SimilarPartsProps) {
  const titleId = useId();
  const similar = useQuery(similarPartsQuery(scanId));
  if (similar.isLoadingError) {
    return <LoadFailure what="What looks like it in your shop" query={similar} />;
  }
  // Most scans look like no part of the shop, so there is nothing to hold a place for.
  if (similar.data === undefined || similar.data.length === 0) return null;
  return (
    <section aria-labelledby={titleId} className="grid gap-1 rounded-md border bg-canvas/40 p-3.5">
      <h4 id={titleId} className="section-title">
        Looks like these in your shop
      </h4>
      <ul className="divide-y">
        {similar.data.map((part) => (
          <SimilarPart key={part.id} part={part} />
        ))}
      </ul>
    </section>
  );
}

type SimilarPartProps = { part: Schemas['SimilarPart'] };

function SimilarPart({ part }: SimilarPartProps) {
  const { id, name, number, brand, price, similarity, thumbnailUrl } = part;
  return (
    <li className="flex items-center gap-3 py-2.5 text-sm">
      <div className="size-12 shrink-0 overflow-hidden rounded-md bg-raised">
        <ReferencePicture url={thumbnailUrl} alt="" />
      </div>
      <div className="min-w-0 flex-1">
        <Link to={shopPartHref(id)} className="font-medium wrap-anywhere hover:underline">
          {brand === null ? number : `${brand} ${number}`}
        </Link>
        <p className="wrap-anywhere text-soft">{name}</p>
      </div>
      <p className="grid shrink-0 justify-items-end tabular-nums">
        {price !== null && (
          <span className="font-medium">{formatPrice(price.cents / 100, price.currency)}</span>
        )}
        <span className="text-xs text-muted">Similarity {similarity.toFixed(2)}</span>
      </p>
    </li>
  );
}
