import type { ReactNode } from 'react';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { shareText } from '@/features/evaluations/model';
import { fileHref, type Report } from '@/features/evaluations/queries';
import { countOf } from '@/lib/format';

type PicturesProps = { id: string; report: Report };

/** The most confident wrong answers. */
export function Mistakes({ id, report: { mistakes, mistakeCount } }: PicturesProps) {
  return (
    <Gallery
      title="Most confident errors"
      description={`${countOf(mistakeCount, 'photo')} in all; the most confident are shown here. The photos file has all of them.`}
    >
      {mistakes.map(({ path, label, guess, confidence, isOfUnknownLabel, picture }) => (
        <Picture key={path} id={id} picture={picture} label={label} path={path}>
          <p>
            <strong className="font-medium">{label}</strong> taken for{' '}
            <strong className="font-medium">{guess}</strong>, confidence {shareText(confidence)}
          </p>
          {isOfUnknownLabel && <Badge tone="warn">Unknown type</Badge>}
        </Picture>
      ))}
    </Gallery>
  );
}

/** Photos whose label is probably wrong. */
export function UnlikelyLabels({
  id,
  report: { unlikelyLabels, unlikelyLabelCount },
}: PicturesProps) {
  return (
    <Gallery
      title="Labels to check"
      description={`${countOf(unlikelyLabelCount, 'photo')} in all whose label the model contradicts, the likeliest label errors first. A hard photo with the right label can be among them.`}
    >
      {unlikelyLabels.map((one) => (
        <Picture key={one.path} id={id} picture={one.picture} label={one.label} path={one.path}>
          <p>
            Labelled <strong className="font-medium">{one.label}</strong> (
            {shareText(one.labelProbability)}), likelier{' '}
            <strong className="font-medium">{one.likely}</strong> (
            {shareText(one.likelyProbability)})
          </p>
          {one.isConfident && <Badge tone="warn">Probably wrong</Badge>}
        </Picture>
      ))}
    </Gallery>
  );
}

type GalleryProps = { title: string; description: string; children: ReactNode[] };

/** A card of pictures; nothing without any. */
function Gallery({ title, description, children }: GalleryProps) {
  if (children.length === 0) return null;
  return (
    <SettingsCard title={title} description={description}>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">{children}</ul>
    </SettingsCard>
  );
}

type PictureProps = {
  id: string;
  picture: string | null;
  label: string;
  path: string;
  children: ReactNode;
};

function Picture({ id, picture, label, path, children }: PictureProps) {
  return (
    <li className="grid grid-cols-1 content-start gap-1.5 text-sm text-soft">
      {picture === null ? (
        <p className="grid aspect-square place-items-center rounded-md border text-muted">
          No picture
        </p>
      ) : (
        <img
          src={fileHref(id, picture)}
          alt={`Photo labelled ${label}`}
          loading="lazy"
          className="aspect-square w-full rounded-md border bg-raised object-contain"
        />
      )}
      {children}
      <p className="text-xs wrap-anywhere text-muted">{path}</p>
    </li>
  );
}
