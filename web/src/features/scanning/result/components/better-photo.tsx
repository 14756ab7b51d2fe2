import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { LazyPhotoHint, LazyPhotoHints } from '@/components/drawings/lazy-drawings';
import { wantsBetterPhoto } from '@/features/scanning/result/match';
import type { ScanView } from '@/features/scanning/result/scan-view';

/** On a narrower window the drawings would push what is known of the part off the screen, in px. */
const WIDE_FROM = 640;

type BetterPhotoProps = { view: ScanView };

/** Which photo would settle an answer that is not sure, or that another part comes close to. */
export function BetterPhoto({ view: answer }: BetterPhotoProps) {
  const { tellingApart } = answer;
  const [isWide] = useState(() => window.innerWidth >= WIDE_FROM);
  if (!wantsBetterPhoto(answer)) return null;
  return (
    <section aria-labelledby="better-photo-title" className="rounded-lg border bg-raised/40">
      <details open={isWide} className="group">
        <summary className="flex min-h-11 cursor-pointer list-none items-center justify-between gap-3 px-4 [&::-webkit-details-marker]:hidden">
          <h3 id="better-photo-title" className="section-title">
            A Better Photo Would Tell
          </h3>
          <ChevronDown className="size-4 shrink-0 text-muted group-open:rotate-180" aria-hidden />
        </summary>
        <div className="px-4 pt-1 pb-4">
          {tellingApart.length === 0 ? (
            <LazyPhotoHints views={['whole', 'side', 'marking']} />
          ) : (
            <ul className="grid gap-4">
              {tellingApart.map(({ names, view, sentence }) => (
                <li
                  key={sentence}
                  className="grid gap-3 min-[22rem]:grid-cols-[6rem_minmax(0,1fr)] sm:grid-cols-[9rem_minmax(0,1fr)]"
                >
                  <LazyPhotoHint view={view} bare />
                  <div className="grid content-start gap-1 text-sm min-[22rem]:col-start-2">
                    <p className="font-medium">{names.join(' or ')}?</p>
                    <p className="text-soft">{sentence}</p>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </div>
      </details>
    </section>
  );
}
