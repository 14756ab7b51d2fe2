import type { Schemas } from '@/api/client';
import { clamp } from '@/features/scanning/drag';
import { csvText } from '@/lib/csv';
import { countOf } from '@/lib/format';

export type Area = Schemas['RegionArea'];

/** A box as it stands on screen: saved and answered, or changed since. */
export type Box = {
  /** Stays the same while the box is moved. */
  key: string;
  area: Area;
  /** What a person says it is. */
  corrected: { label: string; name: string } | null;
  /** The answer for this very place; null for a box that was added or moved since. */
  answer: Schemas['ScanRegion'] | null;
};

/** The most boxes that a photo may have, and the shortest side, as the server has it. */
export const MAX_BOXES = 20;
const MIN_SIDE = 0.04;
const NEW_SIDE = 0.25;

export function boxesOf(regions: readonly Schemas['ScanRegion'][]): Box[] {
  return regions.map((answer) => ({
    key: `saved ${answer.number}`,
    area: answer.area,
    corrected:
      answer.correctedLabel === null
        ? null
        : { label: answer.correctedLabel, name: answer.correctedName ?? answer.correctedLabel },
    answer,
  }));
}

/** Moved by shares of the photo's sides, and no further than its edge. */
export function moved(area: Area, right: number, down: number): Area {
  return {
    ...area,
    left: clamp(area.left + right, 0, 1 - area.width),
    top: clamp(area.top + down, 0, 1 - area.height),
  };
}

/** Its lower right corner moved by shares of the photo's sides. */
export function resized(area: Area, right: number, down: number): Area {
  return {
    ...area,
    width: clamp(area.width + right, Math.min(MIN_SIDE, 1 - area.left), 1 - area.left),
    height: clamp(area.height + down, Math.min(MIN_SIDE, 1 - area.top), 1 - area.top),
  };
}

/** A place for a new box: the first of a few that no box has already. */
export function freePlace(boxes: readonly Box[]): Area {
  const places = [0.375, 0.05, 0.7, 0.2, 0.55].flatMap((top) =>
    [0.375, 0.05, 0.7, 0.2, 0.55].map((left) => ({ left, top, width: NEW_SIDE, height: NEW_SIDE })),
  );
  const isFree = (place: Area) =>
    boxes.every(
      ({ area }) => Math.abs(area.left - place.left) + Math.abs(area.top - place.top) > 0.1,
    );
  const [middle] = places;
  return places.find(isFree) ?? middle ?? { left: 0, top: 0, width: NEW_SIDE, height: NEW_SIDE };
}

/** With the box of `key` in another place, which is not answered yet. */
export function withArea(boxes: readonly Box[], key: string, area: Area): Box[] {
  return boxes.map((box) => (box.key === key ? { ...box, area, answer: null } : box));
}

/** Whether saving would change anything on the server. */
export function isChanged(boxes: readonly Box[], saved: readonly Schemas['ScanRegion'][]): boolean {
  return (
    boxes.length !== saved.length ||
    boxes.some(
      ({ answer, corrected }, index) =>
        answer?.number !== index + 1 || (corrected?.label ?? null) !== answer.correctedLabel,
    )
  );
}

/** Where a box lies and how large it is, in words. */
export function areaText({ left, top, width, height }: Area): string {
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  return `${percent(left)} from the left, ${percent(top)} from the top; ${percent(width)} wide, ${percent(height)} high`;
}

/** What a box shows, in words. */
export function nameOf({ answer, corrected }: Box): string {
  if (corrected !== null) return corrected.name;
  if (answer === null) return 'not answered yet';
  return answer.verdict === 'not-a-part' ? 'No known part' : answer.partName;
}

/** `3 × Brake Rotor, 1 × Rim (unsure)` */
function totalsText(totals: readonly Schemas['RegionTotal'][]): string {
  const doubt = ({ count, unsureCount }: Schemas['RegionTotal']) => {
    if (unsureCount === 0) return '';
    return unsureCount === count ? ' (unsure)' : ` (${unsureCount} unsure)`;
  };
  return totals.map((total) => `${total.count} × ${total.name}${doubt(total)}`).join(', ');
}

/** What was found, for those who listen as for those who see. */
export function foundText({ regions, totals }: Schemas['RegionsOfScan']): string {
  if (regions.length === 0) return 'No part is marked on this photo.';
  const counted = totals.length === 0 ? '' : `: ${totalsText(totals)}`;
  if (regions.length === 1) return `One part was found${counted}.`;
  return `${countOf(regions.length, 'part')} were found${counted}.`;
}

const COLUMNS = [
  'number',
  'part',
  'label',
  'verdict',
  'confidence',
  'left',
  'top',
  'width',
  'height',
];

/** The list as a table. */
export function csvOf(regions: readonly Schemas['ScanRegion'][]): string {
  const rows = regions.map((region) => [
    region.number,
    region.correctedName ?? region.partName,
    region.correctedLabel ?? region.label,
    region.correctedLabel === null ? region.verdict : 'corrected',
    region.confidence.toFixed(3),
    ...[region.area.left, region.area.top, region.area.width, region.area.height].map((share) =>
      share.toFixed(4),
    ),
  ]);
  return csvText([COLUMNS, ...rows]);
}
