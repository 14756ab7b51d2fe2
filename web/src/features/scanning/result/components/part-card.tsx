import { ShoppingCart, Wrench } from 'lucide-react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { categoryName } from '@/api/part-category';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { newRepairHref } from '@/config/paths';
import { Certainty } from '@/features/scanning/result/components/certainty';
import { Description } from '@/features/scanning/result/components/description';
import { JudgeNotice } from '@/features/scanning/result/components/judge-notice';
import { MatchBadge } from '@/features/scanning/result/components/match-badge';
import { OneOfThese } from '@/features/scanning/result/components/one-of-these';
import { RolledUpNotice } from '@/features/scanning/result/components/rolled-up-notice';
import type { Photo } from '@/lib/photos/photo';
import { canBeBought, rankOffers } from '@/features/parts/offers/offers';
import { matchPercent } from '@/features/scanning/result/match';
import {
  candidateSetOf,
  doubtOf,
  type Doubt,
  type ScanView,
} from '@/features/scanning/result/scan-view';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { classNames } from '@/lib/class-names';
import { webAddress } from '@/lib/links';

type PartCardProps = {
  view: ScanView;
  photo: Photo | null;
  suppliers: Schemas['Supplier'][];
};

export function PartCard({ view, photo, suppliers }: PartCardProps) {
  const { identification, verdict } = view;
  const doubt = doubtOf(view);
  const takenUrl = usePhotoUrl(photo?.blob ?? null);
  const photoUrl = takenUrl ?? view.thumbnailUrl;
  const offers = rankOffers(suppliers);
  const buyable = offers.filter(canBeBought);
  // A price list may know no web page; the next offer then may.
  const buyAt =
    buyable
      .map(
        ({ supplier }) => webAddress(supplier.vehicleSpecificUrl) ?? webAddress(supplier.website),
      )
      .find((address) => address !== null) ?? null;
  const soldOut = offers.length > 0 && buyable.length === 0;
  return (
    <div className="grid grid-cols-1 gap-4">
      {view.rolledUp !== null ? (
        <RolledUpNotice view={view} rolledUp={view.rolledUp} />
      ) : (
        doubt !== null && <DoubtNotice view={view} doubt={doubt} />
      )}
      <div
        className={classNames(
          'grid gap-x-4 gap-y-3',
          photoUrl !== null && '@2xs:grid-cols-[auto_minmax(0,1fr)] sm:grid-rows-[auto_1fr]',
        )}
      >
        {photoUrl !== null && (
          <img
            src={photoUrl}
            alt="Your photo"
            className="size-20 rounded-md min-[22rem]:size-24 border bg-canvas object-cover sm:row-span-2 sm:size-32 lg:size-44"
          />
        )}
        <div className="grid content-center gap-2">
          <h3 className="text-2xl font-semibold tracking-tight text-balance wrap-anywhere">
            <bdi>{identification.partName}</bdi>
          </h3>
          <div className="flex flex-wrap gap-1.5">
            {doubt !== null && <Badge tone="warn">Best guess</Badge>}
            <MatchBadge
              confidence={identification.confidence}
              verdict={verdict}
              percent={matchPercent(identification.confidence, view.receipt)}
            />
            {identification.category !== null && (
              <Badge tone="outline">{categoryName(identification.category)}</Badge>
            )}
          </div>
        </div>
        <Description
          key={view.id}
          text={identification.description}
          className={photoUrl === null ? '' : 'max-sm:col-span-full'}
        />
      </div>
      {view.receipt.lacksTaughtParts && (
        <Notice tone="warn" title="Without taught parts">
          Taught parts could not be looked at, so it may be one of them. Scan again in a minute.
        </Notice>
      )}
      <Certainty view={view} />
      {view.receipt.judgement !== null && (
        <JudgeNotice view={view} judgement={view.receipt.judgement} />
      )}
      <div className="grid gap-2 max-sm:@2xs:grid-cols-2 sm:grid-cols-[minmax(0,1fr)_auto]">
        {buyAt === null ? (
          <Button look="primary" disabled aria-describedby={soldOut ? 'nothing-to-buy' : undefined}>
            <ShoppingCart className="size-4" aria-hidden />
            Buy Now
          </Button>
        ) : (
          // To buy what may be another part is not the next thing to do.
          <Button asChild look={doubt === null ? 'primary' : 'secondary'}>
            <a href={buyAt} target="_blank" rel="noopener noreferrer">
              <ShoppingCart className="size-4" aria-hidden />
              Buy Now
            </a>
          </Button>
        )}
        <Button asChild className="px-2 whitespace-nowrap max-[23rem]:gap-1 sm:px-4">
          <Link to={newRepairHref(identification.partName, view.id)}>
            <Wrench className="size-4" aria-hidden />
            Log as Repair
          </Link>
        </Button>
        {soldOut && (
          <p id="nothing-to-buy" className="text-sm text-muted @2xs:col-span-2">
            Every offer below is out of stock or does not fit your vehicle.
          </p>
        )}
      </div>
    </div>
  );
}

type DoubtNoticeProps = { view: ScanView; doubt: Doubt };

/** Of the other matches, those worth a look; naming more would be noise. */
const OTHERS_NAMED = 2;
const OTHERS_FROM = 0.05;

function DoubtNotice({ view, doubt }: DoubtNoticeProps) {
  const set = candidateSetOf(view);
  const others = view.alternatives
    .filter(({ confidence }) => confidence >= OTHERS_FROM)
    .slice(0, OTHERS_NAMED)
    .map(({ name }) => name);
  return (
    <Notice tone="warn" title="Not sure about this one">
      <p>
        {view.identification.partName} is the closest match
        {view.candidateSet?.reason === 'look-alikes' && ' by the photo alone'}
        {doubt === 'unlike-known-parts' &&
          ', but the photo does not look enough like the parts known here to be sure'}
        .{set === null && others.length > 0 && ` It could also be: ${others.join(' or ')}.`}
      </p>
      {set !== null && (
        <div className="mt-2">
          <OneOfThese set={set} view={view} />
        </div>
      )}
      <p className="mt-1">
        Compare it with the part in your hand before you buy, or take the photo below.
      </p>
    </Notice>
  );
}
