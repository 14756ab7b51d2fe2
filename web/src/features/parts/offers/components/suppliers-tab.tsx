import { ExternalLink, Phone, Star } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { LoadingBlock } from '@/components/ui/skeleton';
import { missingSources, sourceText } from '@/features/parts/offers/offer-source';
import { rankOffers, type Offer } from '@/features/parts/offers/offers';
import { classNames } from '@/lib/class-names';
import { formatMoney, formatPrice } from '@/lib/format';
import { webAddress } from '@/lib/links';

type SuppliersTabProps = {
  suppliers: Schemas['Supplier'][];
  sources: Schemas['SupplierSourceStatus'][];
  loading: boolean;
};

export function SuppliersTab({ suppliers, sources, loading }: SuppliersTabProps) {
  if (suppliers.length === 0) {
    return loading ? (
      <LoadingBlock label="Looking for suppliers" />
    ) : (
      <div className="grid gap-3">
        <EmptyState picture={<EmptyShelf />} title="No suppliers found for this part">
          Open &quot;Where to Buy&quot; for searches at retailers.
        </EmptyState>
        <MissingSources sources={sources} />
      </div>
    );
  }
  return (
    <div className="grid gap-3">
      <OfferList suppliers={suppliers} />
      <MissingSources sources={sources} />
    </div>
  );
}

type MissingSourcesProps = { sources: Schemas['SupplierSourceStatus'][] };

/** Which sources did not answer, so that nobody takes the list for complete. */
export function MissingSources({ sources }: MissingSourcesProps) {
  const missing = missingSources(sources);
  if (missing.length === 0) return null;
  return (
    <Notice tone="warn" title="Some prices are missing">
      {missing.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  );
}

type OfferListProps = { suppliers: Schemas['Supplier'][] };

/** Offers by price ascending; those without a price come last. */
export function OfferList({ suppliers }: OfferListProps) {
  return (
    <ul className="grid gap-3">
      {rankOffers(suppliers).map((offer, place) => (
        // One supplier may offer a part several times, with nothing that tells the offers apart.
        <li key={`${offer.supplier.name} ${offer.supplier.website} ${place}`}>
          <OfferCard offer={offer} />
        </li>
      ))}
    </ul>
  );
}

type OfferCardProps = { offer: Offer };

function OfferCard({ offer }: OfferCardProps) {
  const { supplier, best } = offer;
  const address = webAddress(supplier.vehicleSpecificUrl) ?? webAddress(supplier.website);
  return (
    <article
      aria-label={supplier.name}
      className={classNames(
        'grid gap-2.5 rounded-md border p-3.5',
        best ? 'border-good/50 bg-good-wash/50' : 'bg-canvas/40',
      )}
    >
      <div className="flex flex-wrap items-start gap-3">
        <div className="grid min-w-0 flex-1 basis-[8rem] gap-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h4 className="font-semibold">{supplier.name}</h4>
            {best && <Badge tone="good">Best Price</Badge>}
            {supplier.inStock === true && <Badge tone="neutral">In Stock</Badge>}
            {supplier.inStock === false && <Badge tone="outline">Out of stock</Badge>}
            {supplier.isEstimate && <Badge tone="outline">Estimate</Badge>}
            {supplier.fits === true && <Badge tone="good">Fits</Badge>}
            {supplier.fits === false && <Badge tone="bad">Does not fit</Badge>}
          </div>
          <Price offer={offer} />
          <p className="text-xs wrap-anywhere text-muted">{sourceText(supplier)}</p>
        </div>
        {address !== null && (
          <Button asChild size="small" className="shrink-0">
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={`View at ${supplier.name}`}
            >
              View
              <ExternalLink className="size-4" aria-hidden />
            </a>
          </Button>
        )}
      </div>
      <Details supplier={supplier} />
    </article>
  );
}

/** What the shop asks; without that, what such a part usually costs. */
function Price({ offer: { supplier, overBest } }: OfferCardProps) {
  const { listedPrice, currency, price, priceNote } = supplier;
  // Of a price in another currency the note only says it again.
  const note = price !== null || listedPrice === null ? priceNote : null;
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 text-sm text-muted">
      {listedPrice !== null && (
        <p className="text-lg font-semibold text-ink tabular-nums">
          {formatPrice(listedPrice, currency ?? 'USD')}
        </p>
      )}
      {overBest !== null && (
        <p>{overBest === 0 ? 'Same as best price' : `+${formatMoney(overBest)} over best price`}</p>
      )}
      {note !== null && <p>{note}</p>}
      {note === null && listedPrice === null && <p>Price on their site</p>}
    </div>
  );
}

type DetailsProps = { supplier: Schemas['Supplier'] };

function Details({ supplier }: DetailsProps) {
  const lines = [
    ['Shipping', supplier.shippingInfo],
    ['Warranty', supplier.warrantyInfo],
    ['Part number', supplier.partNumber],
    ['Notes', supplier.notes],
  ].filter(([, value]) => value);
  return (
    <>
      {(supplier.rating !== null || supplier.phone !== null) && (
        <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
          {supplier.rating !== null && (
            <span className="flex items-center gap-1">
              <Star className="size-4 text-warn" aria-hidden />
              <span className="sr-only">Rating</span> {supplier.rating.toFixed(1)}
            </span>
          )}
          {supplier.phone !== null && (
            <a href={`tel:${supplier.phone}`} className="flex items-center gap-1 hover:text-ink">
              <Phone className="size-4" aria-hidden /> {supplier.phone}
            </a>
          )}
        </div>
      )}
      {lines.length > 0 && (
        <dl className="grid gap-0.5 text-sm">
          {lines.map(([term, value]) => (
            <div key={term} className="flex flex-wrap gap-x-2">
              <dt className="shrink-0 text-muted">{term}:</dt>
              <dd className="min-w-0 flex-1 basis-[9rem] text-soft">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
