import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { RowActions } from '@/components/row-actions';
import { Badge } from '@/components/ui/badge';
import { fitmentText, numberText } from '@/features/parts/shop-parts/model';
import { countOf, formatPrice } from '@/lib/format';

/** Fitments shown in the list; the form has them all. */
const FITMENTS_SHOWN = 3;

type ShopPartRowProps = {
  part: Schemas['ShopPart'];
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onEdit: () => void;
  onRemove: () => Promise<unknown>;
};

export function ShopPartRow({ part, heading, removing, onEdit, onRemove }: ShopPartRowProps) {
  const { typeName, name, price, notes, fitments, photos, ownedBy, mayChange } = part;
  const title = numberText(part);
  const more = fitments.length - FITMENTS_SHOWN;
  return (
    <div className="flex items-start gap-2 py-3">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{title}</span>
          <Badge tone="outline">{typeName}</Badge>
          {ownedBy === 'company' && <Badge tone="primary">Company</Badge>}
          {photos.length > 0 && <Badge>{countOf(photos.length, 'photo')}</Badge>}
        </p>
        {(name !== null || price !== null) && (
          <p className="flex flex-wrap gap-x-3 text-sm text-soft">
            {name !== null && <span className="wrap-anywhere">{name}</span>}
            {price !== null && (
              <span className="tabular-nums">{formatPrice(price.cents / 100, price.currency)}</span>
            )}
          </p>
        )}
        <p className="text-sm wrap-anywhere text-muted">
          {fitments.length === 0
            ? 'No fitments: nothing is known of the vehicles it fits.'
            : `${fitments.slice(0, FITMENTS_SHOWN).map(fitmentText).join('; ')}${more > 0 ? `; and ${more} more` : ''}`}
        </p>
        {notes !== null && <p className="text-sm wrap-anywhere text-muted">{notes}</p>}
      </div>
      {mayChange && (
        <RowActions
          what={title}
          onEdit={onEdit}
          title="Delete this part?"
          description={`${title} goes with its price and fitments. You can bring it back until you leave this page.`}
          pending={removing}
          focusOnConfirm={heading}
          onConfirm={onRemove}
        />
      )}
    </div>
  );
}
