import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { ShopPartTexts } from '@/components/shop-part-texts';
import { Card } from '@/components/ui/card';
import { catalogHref } from '@/config/paths';
import { catalogMutations } from '@/features/teaching/taught-parts/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate } from '@/lib/format';

type LookAlikesProps = Pick<Schemas['TaughtPartType'], 'id' | 'name' | 'lookAlikes'>;

/** The parts that are marked as look-alikes of this one, each with what takes the mark off; nothing without any. */
export function LookAlikes({ id, name, lookAlikes }: LookAlikesProps) {
  const fail = useFailureToast();
  const list = useRef<HTMLUListElement>(null);
  const unmark = useMutation({
    mutationFn: catalogMutations.unmarkLookAlike,
    onError: (error) => fail(error, 'The look-alike could not be removed. Please try again.'),
  });
  if (lookAlikes.length === 0) return null;
  return (
    <Card aria-label="Look-alikes" className="grid grid-cols-1 gap-3">
      <h2 className="text-lg font-semibold">Look-alikes</h2>
      <p className="text-sm text-soft">
        A photo alone does not tell these from {name}. A scan says that it is one of them.
      </p>
      <ul ref={list} tabIndex={-1} aria-label="Look-alikes" className="grid gap-2">
        {lookAlikes.map((other) => (
          <li key={other.id} className="flex items-start justify-between gap-3 text-sm">
            <div className="grid min-w-0 gap-1">
              <Link
                to={catalogHref(other.id)}
                className="font-medium underline wrap-anywhere hover:no-underline"
              >
                {other.name}
              </Link>
              <span className="text-xs text-muted">Marked {formatDate(other.markedAt)}</span>
              <ShopPartTexts parts={other.shopParts} />
            </div>
            {other.isOwn && (
              <DeleteButton
                label={`Remove the look-alike ${other.name}`}
                title={`Is ${other.name} no look-alike?`}
                description={`A scan then decides between ${name} and ${other.name} by the photo again. The photos stay.`}
                confirmLabel="Remove"
                pending={unmark.isPending}
                focusOnConfirm={list}
                onConfirm={() => unmark.mutateAsync({ id, other: other.id })}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
