import { ShoppingCart } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { MatchBadge } from '@/features/scan/components/match-badge';
import type { Photo } from '@/features/scan/photo';
import { rankOffers, type ScanView } from '@/features/scan/scan-view';
import { usePhotoUrl } from '@/features/scan/use-photo-url';
import { categoryName } from '@/lib/format';
import { webAddress } from '@/lib/links';

type PartCardProps = {
  view: ScanView;
  photo: Photo | null;
  suppliers: Schemas['Supplier'][];
};

export function PartCard({ view, photo, suppliers }: PartCardProps) {
  const { identification, verdict } = view;
  const photoUrl = usePhotoUrl(photo?.blob ?? null);
  const firstOffer = rankOffers(suppliers)[0]?.supplier;
  const buyAt = webAddress(firstOffer?.vehicleSpecificUrl) ?? webAddress(firstOffer?.website);
  return (
    <div className="grid gap-4">
      {verdict === 'not-sure' && <NotSureNotice view={view} />}
      <div className="flex flex-wrap gap-4">
        {photoUrl !== null && (
          <img
            src={photoUrl}
            alt="Your photo"
            className="size-24 shrink-0 rounded-md border bg-canvas object-cover sm:size-32"
          />
        )}
        <div className="grid min-w-0 flex-1 basis-56 content-start gap-2">
          <h3 className="text-2xl font-semibold tracking-tight text-balance">
            {identification.partName}
          </h3>
          <div className="flex flex-wrap gap-1.5">
            {verdict === 'not-sure' && <Badge tone="warn">Best guess</Badge>}
            <MatchBadge confidence={identification.confidence} />
            <Badge tone="outline">{categoryName(identification.category)}</Badge>
          </div>
          <p className="text-sm text-soft">{identification.description}</p>
        </div>
      </div>
      {buyAt === null ? (
        <Button look="primary" disabled>
          <ShoppingCart className="size-4" aria-hidden />
          Buy Now
        </Button>
      ) : (
        <Button asChild look="primary">
          <a href={buyAt} target="_blank" rel="noopener noreferrer">
            <ShoppingCart className="size-4" aria-hidden />
            Buy Now
          </a>
        </Button>
      )}
    </div>
  );
}

type NotSureNoticeProps = { view: ScanView };

// The second and third guess are near enough to be worth a look; more would be noise.
const OTHERS_NAMED = 2;

function NotSureNotice({ view }: NotSureNoticeProps) {
  const others = view.alternatives.slice(0, OTHERS_NAMED).map((alternative) => alternative.name);
  return (
    <Notice tone="warn" title="Not sure about this one">
      <p>
        {view.identification.partName} is the closest match.
        {others.length > 0 && ` It could also be: ${others.join(' or ')}.`}
      </p>
      <p className="mt-1">
        Compare it with the part in your hand before you buy, or take another photo: closer, from
        the side, in even light.
      </p>
    </Notice>
  );
}
