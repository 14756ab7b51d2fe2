import { Crop, ImagePlus, ScanLine } from 'lucide-react';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { ErrorBoundary } from '@/components/error-boundary';
import { Button } from '@/components/ui/button';
import { LazyPartPictures } from '@/components/drawings/lazy-drawings';
import { Card } from '@/components/ui/card';
import { AlternativeMatches } from '@/features/scanning/result/components/alternative-matches';
import { AnswerHeader } from '@/features/scanning/result/components/answer-header';
import { BetterPhoto } from '@/features/scanning/result/components/better-photo';
import { InstructionsTab } from '@/features/parts/guides/components/instructions-tab';
import { PartCard } from '@/features/scanning/result/components/part-card';
import { PhotoFindings } from '@/features/scanning/result/components/photo-findings';
import { MatchedParts } from '@/features/scanning/result/components/matched-parts';
import { ReadOnThePart } from '@/features/scanning/result/components/read-on-the-part';
import { wantsBetterPhoto } from '@/features/scanning/result/match';
import { ScanReceipt } from '@/features/scanning/result/components/scan-receipt';
import { SuppliersTab } from '@/features/parts/offers/components/suppliers-tab';
import { VideosTab } from '@/features/scanning/result/components/videos-tab';
import { WhereToBuyTab } from '@/features/scanning/result/components/where-to-buy-tab';
import { useLeaveQuestion } from '@/hooks/use-leave-question';
import type { Photo } from '@/lib/photos/photo';
import { SeveralParts } from '@/features/scanning/regions/components/several-parts';
import { readingQuery, surelyRead } from '@/features/scanning/result/reading-queries';
import { offerQueries } from '@/features/parts/offers/queries';
import { leadOf, savedVehicleOf, type ScanView } from '@/features/scanning/result/scan-view';
import { formatScanTime, vehicleName } from '@/lib/format';

type ScanResultProps = {
  view: ScanView;
  /** The photos that were sent; none for a scan of the history. */
  photos: Photo[];
  /** The saved vehicles: suppliers are asked for that of the scan, whichever is the default. */
  vehicles: Schemas['Vehicle'][];
  onClose: () => void;
  /** Crops the photo and scans it again; left out where that cannot be done. */
  onCrop?: (photo: Photo) => void;
  /** Takes more photos of the part beside those that were sent; left out where that cannot be done. */
  onAddPhotos?: () => void;
  /** Closes the answer and goes back to the camera; left out where there is none. */
  onScanNext?: () => void;
  /** What other features have to say of the scan before anything is done with it. */
  extras?: ReactNode;
  /** What they have to say to whoever is about to buy the part. */
  buyingExtras?: ReactNode;
};

const TABS = [
  ['suppliers', 'Suppliers'],
  ['videos', 'Videos'],
  ['buy', 'Where to Buy'],
  ['instructions', 'Instructions'],
] as const;

export function ScanResult({
  view,
  photos,
  vehicles,
  onClose,
  onCrop,
  onAddPhotos,
  onScanNext,
  extras,
  buyingExtras,
}: ScanResultProps) {
  const [only] = photos;
  const vehicle = savedVehicleOf(view, vehicles);
  const { data: reading } = useQuery(readingQuery(view.id));
  const { ask, question } = useLeaveQuestion();
  const asked = useQuery({
    ...offerQueries.suppliers(view.part.id, vehicle?.id ?? null, surelyRead(reading)),
    enabled: vehicle !== null,
  });
  const answered = asked.data?.suppliers ?? [];
  const suppliers = answered.length > 0 ? answered : view.suppliers;

  const bodies: Record<(typeof TABS)[number][0], ReactNode> = {
    suppliers: (
      <div className="grid grid-cols-1 gap-4">
        {buyingExtras}
        <SuppliersTab
          suppliers={suppliers}
          sources={asked.data?.sources ?? []}
          loading={asked.isLoading}
        />
      </div>
    ),
    videos: <VideosTab view={view} />,
    buy: <WhereToBuyTab view={view} />,
    instructions: (
      <div className="grid grid-cols-1 gap-5">
        {view.part.position !== null && (
          <LazyPartPictures
            label={view.part.id}
            name={view.part.name}
            position={view.part.position}
          />
        )}
        <InstructionsTab part={view.part} />
      </div>
    ),
  };

  return (
    <Card aria-labelledby="result-title" className="@container grid animate-rise grid-cols-1 gap-5">
      <AnswerHeader
        titleId="result-title"
        title="Scan Results"
        scanId={view.id}
        closeLabel="Close results"
        onClose={() => ask(onClose)}
      >
        {view.vehicle != null ? `For ${vehicleName(view.vehicle)}` : 'For no vehicle in particular'}
        {/* The spaces are for everybody, so that no two words are read as one. */}{' '}
        <span aria-hidden>·</span> {formatScanTime(view.scannedAt)}
      </AnswerHeader>
      <MatchedParts scanId={view.id} />
      <PartCard view={view} photo={leadOf(view, photos)} suppliers={suppliers} />
      <ReadOnThePart view={view} photos={photos} />
      {view.photoCount === 1 && (
        <SeveralParts key={view.id} view={view} photo={leadOf(view, photos)} />
      )}
      <BetterPhoto view={view} />
      {wantsBetterPhoto(view) && only !== undefined && (
        <div className="grid gap-2 *:px-2 @2xs:auto-cols-fr @2xs:grid-flow-col">
          {onCrop !== undefined && photos.length === 1 && view.verdict === 'not-sure' && (
            <Button onClick={() => onCrop(only)}>
              <Crop className="size-4" aria-hidden />
              Crop and Scan Again
            </Button>
          )}
          {onAddPhotos !== undefined && (
            <Button onClick={() => ask(onAddPhotos)}>
              <ImagePlus className="size-4" aria-hidden />
              Add Photos of This Part
            </Button>
          )}
        </div>
      )}
      {extras}
      {onScanNext !== undefined && (
        // In a wide window the camera stands beside the answer.
        <Button className="lg:hidden" onClick={() => ask(onScanNext)}>
          <ScanLine className="size-4" aria-hidden />
          Scan Another Part
        </Button>
      )}
      <Tabs.Root defaultValue="suppliers">
        <Tabs.List
          aria-label="About this part"
          className="flex border-b @max-2xs:grid @max-2xs:grid-cols-[repeat(auto-fit,minmax(min(6.5rem,100%),1fr))]"
        >
          {TABS.map(([value, label]) => (
            <Tabs.Trigger
              key={value}
              value={value}
              className="-mb-px min-h-11 flex-1 border-b-2 border-transparent px-1 text-[0.8125rem] font-medium text-muted @2xs:whitespace-nowrap outline-offset-[-2px] hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink sm:px-3 sm:text-sm"
            >
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {TABS.map(([value, label]) => (
          <Tabs.Content key={value} value={value} className="rounded-md pt-4">
            <ErrorBoundary what={label}>{bodies[value]}</ErrorBoundary>
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <AlternativeMatches alternatives={view.alternatives} />
      {view.photos.length > 1 && <PhotoFindings view={view} sent={photos} />}
      <ScanReceipt view={view} />
      {question}
    </Card>
  );
}
