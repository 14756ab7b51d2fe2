import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Plus } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { UndoRow } from '@/components/undo-row';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import {
  areaText,
  boxesOf,
  csvOf,
  foundText,
  freePlace,
  isChanged,
  MAX_BOXES,
  nameOf,
  withArea,
  type Area,
  type Box,
} from '@/features/scanning/regions/boxes';
import { BoxRow } from '@/features/scanning/regions/components/box-row';
import { PhotoBoxes } from '@/features/scanning/regions/components/photo-boxes';
import { regionMutations, regionsQuery } from '@/features/scanning/regions/queries';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { countOf } from '@/lib/format';
import { PHOTO_FILES, type Photo } from '@/lib/photos/photo';
import { readablePhoto } from '@/lib/photos/shrink-photo';

type SeveralPartsPanelProps = {
  view: ScanView;
  /** The photo that was sent; null for a scan of the history. */
  sent: Photo | null;
};

/** The parts on a photo that shows several: found, answered, counted, and put right by hand. */
export function SeveralPartsPanel({ view, sent }: SeveralPartsPanelProps) {
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [chosen, setChosen] = useState<Photo | null>(null);
  const photo = sent ?? chosen;
  const [edited, setEdited] = useState(false);
  const found = useQuery(regionsQuery(view.id, photo));
  return (
    <section aria-labelledby={titleId} className="grid grid-cols-1 gap-3 rounded-lg border p-3.5">
      <h3 id={titleId} ref={heading} tabIndex={-1} className="section-title">
        Parts in this picture
      </h3>
      <p role="status" className="text-sm text-soft">
        {found.isFetching
          ? 'Looking for the parts...'
          : // It counts boxes that may be elsewhere now, or gone.
            found.data !== undefined && !edited && foundText(found.data)}
      </p>
      {found.isLoadingError && (
        <Notice tone="bad" title="The parts were not found" onRetry={() => void found.refetch()}>
          {sentenceOf(found.error, 'Check the connection, then try again.')}
        </Notice>
      )}
      {sent === null && (chosen === null || found.isLoadingError) && (
        <ChoosePhoto onPhoto={setChosen} />
      )}
      {found.data !== undefined && (
        <Editor
          // What was saved begins anew; what is not saved yet stays.
          key={found.data.changedAt}
          view={view}
          photo={photo}
          found={found.data}
          onEdited={setEdited}
          onSaved={() => {
            // The pressed button goes, and with it the focus; somebody who went on meanwhile keeps it.
            const { activeElement } = document;
            const section = heading.current?.parentElement;
            if (activeElement === document.body || section?.contains(activeElement) === true) {
              heading.current?.focus();
            }
          }}
        />
      )}
    </section>
  );
}

/** New boxes are answered from the photo itself, which the server may not keep. */
function ChoosePhoto({ onPhoto }: { onPhoto: (photo: Photo) => void }) {
  const id = useId();
  return (
    <div className="grid gap-1.5 text-sm">
      <label htmlFor={id} className="text-muted">
        To look at new boxes, choose the photo of this scan again
      </label>
      <input
        id={id}
        type="file"
        accept={PHOTO_FILES}
        className="max-w-full text-soft"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) {
            void readablePhoto({ blob: file, name: file.name }).then(onPhoto);
          }
        }}
      />
    </div>
  );
}

type EditorProps = {
  view: ScanView;
  photo: Photo | null;
  found: Schemas['RegionsOfScan'];
  /** Told whether the boxes are other than those found. */
  onEdited: (edited: boolean) => void;
  onSaved: () => void;
};

function Editor({ view, photo, found, onEdited, onSaved }: EditorProps) {
  const queries = useQueryClient();
  const [boxes, setBoxes] = useState(() => boxesOf(found.regions));
  const [removed, setRemoved] = useState<{ box: Box; index: number } | null>(null);
  const [active, setActive] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const added = useRef(0);
  const list = useRef<HTMLDivElement>(null);
  const taken = usePhotoUrl(photo?.blob ?? null);
  const url = taken ?? view.thumbnailUrl;
  const save = useMutation({
    mutationFn: regionMutations.save(view.id),
    // What was said of the last box is over, also when the save fails.
    onMutate: () => setSaid(''),
    // Its new `changedAt` makes the editor begin anew with what the server has.
    onSuccess: (saved) => {
      queries.setQueryData(regionsQuery(view.id, photo).queryKey, saved);
      onSaved();
    },
  });
  const changed = isChanged(boxes, found.regions);
  const nNew = boxes.filter(({ answer }) => answer === null).length;
  useUnsavedWork(changed);
  useLeaveGuard(changed);
  useEffect(() => onEdited(changed), [changed, onEdited]);

  const remove = (key: string) => {
    const index = boxes.findIndex((box) => box.key === key);
    const box = boxes[index];
    if (box === undefined) return;
    setRemoved({ box, index });
    setBoxes(boxes.filter((other) => other !== box));
    setSaid(`Box ${index + 1}, ${nameOf(box)}, was deleted.`);
    // The box goes, and with it the focus.
    list.current?.focus();
  };
  const undo = () => {
    if (removed === null) return;
    setBoxes(boxes.toSpliced(removed.index, 0, removed.box));
    setSaid(`Box ${removed.index + 1}, ${nameOf(removed.box)}, is back.`);
    setRemoved(null);
    list.current?.focus();
  };
  const move = (key: string, area: Area) => {
    setBoxes((current) => withArea(current, key, area));
    const number = boxes.findIndex((box) => box.key === key) + 1;
    setSaid(`Box ${number}: ${areaText(area)}.`);
  };
  const add = () => {
    added.current += 1;
    const key = `new ${added.current}`;
    setBoxes([...boxes, { key, area: freePlace(boxes), corrected: null, answer: null }]);
    setActive(key);
    setSaid(`Box ${boxes.length + 1} was added. Move it to a part.`);
  };
  const correct = (key: string, corrected: Box['corrected']) =>
    setBoxes(boxes.map((box) => (box.key === key ? { ...box, corrected } : box)));

  return (
    <div className="grid grid-cols-1 gap-3">
      {url === null ? (
        <p className="text-sm text-muted">
          The photo is not kept here, so its boxes are only listed.
        </p>
      ) : (
        <>
          <PhotoBoxes
            url={url}
            boxes={boxes}
            active={active}
            busy={save.isPending}
            onActive={setActive}
            onArea={move}
            onRemove={remove}
          />
          <p id="several-parts-keys" className="text-xs text-muted">
            Drag a box to move it, its lower right corner to resize it. With keys: arrows move,
            Shift and arrows resize, Delete removes.
          </p>
        </>
      )}
      <div ref={list} tabIndex={-1} role="group" aria-label="List of the parts">
        {boxes.length > 0 && (
          <ol className="grid grid-cols-1 divide-y rounded-md border">
            {boxes.map((box, index) => (
              <BoxRow
                key={box.key}
                scanId={view.id}
                number={index + 1}
                box={box}
                active={active === box.key}
                busy={save.isPending}
                onActive={() => setActive(box.key)}
                onCorrect={(corrected) => correct(box.key, corrected)}
                onRemove={() => remove(box.key)}
              />
            ))}
          </ol>
        )}
        {removed !== null && (
          <UndoRow
            text={`Box ${removed.index + 1}, ${nameOf(removed.box)}, was deleted.`}
            what={`box ${removed.index + 1}`}
            pending={save.isPending}
            onUndo={undo}
          />
        )}
      </div>
      <p role="status" className="sr-only">
        {save.isPending ? 'Looking at the boxes...' : said}
      </p>
      <div role="alert" className="empty:hidden">
        {save.isError && (
          <Notice tone="bad" title="The boxes were not saved">
            {sentenceOf(save.error, 'Check the connection, then try again.')}
          </Notice>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {changed && (
          <Button
            look="primary"
            disabled={save.isPending}
            onClick={() => save.mutate({ photo, boxes })}
          >
            {saveText(save.isPending, nNew)}
          </Button>
        )}
        {url !== null && (
          <Button disabled={save.isPending || boxes.length >= MAX_BOXES} onClick={add}>
            <Plus className="size-4" aria-hidden />
            Add Box
          </Button>
        )}
        {!changed && found.regions.length > 0 && (
          <Button asChild>
            <a
              href={`data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(found.regions))}`}
              download="parts-in-this-picture.csv"
            >
              <Download className="size-4" aria-hidden />
              Save as CSV
            </a>
          </Button>
        )}
      </div>
    </div>
  );
}

function saveText(isPending: boolean, nNew: number): string {
  if (isPending) return nNew === 0 ? 'Saving...' : 'Looking...';
  return nNew === 0 ? 'Save Changes' : `Look at ${countOf(nNew, 'Changed Box', 'Changed Boxes')}`;
}
