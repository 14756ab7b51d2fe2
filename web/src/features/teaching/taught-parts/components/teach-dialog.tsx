import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { isSignedOut } from '@/api/api-error';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { settingsQuery } from '@/api/settings';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { Collision } from '@/features/teaching/taught-parts/components/collision';
import { KnownType } from '@/features/teaching/taught-parts/components/known-type';
import { PhotoPicker } from '@/features/teaching/taught-parts/components/photo-picker';
import {
  lessonSchema,
  NAME_MAX_LENGTH,
  photosRefusal,
  teachDraftKey,
  teachingRefusal,
  type TeachingRefusal,
} from '@/features/teaching/taught-parts/model';
import { catalogMutations, type Lesson } from '@/features/teaching/taught-parts/mutations';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useDraft } from '@/hooks/use-draft';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { useIsShown } from '@/hooks/use-is-shown';
import { useSessionEnd } from '@/hooks/use-session-end';
import { useForm } from '@/hooks/use-form';
import { focusFirstField } from '@/lib/dialog-focus';
import { countOf } from '@/lib/format';
import type { Photo } from '@/lib/photos/photo';

type TeachDialogProps = {
  /** The part that gets more photos; null teaches a new one. */
  known: { id: string; name: string } | null;
  /** The parts of the shop of this type, one of which the photos may show. */
  shopParts?: { id: string; title: string }[];
  /** Whether the shop has older parts of this type, which are not among them. */
  anyOlderParts?: boolean;
  onClose: () => void;
};

const EMPTY = { name: '', category: '', shopPartId: '' };
const OLDER_PARTS =
  ' Only the newest parts are listed: for an older one, teach the photos first, then choose them where you edit it.';

/** One to five photographs and a name make a part that the next scan can find. */
export function TeachDialog({
  known,
  shopParts = [],
  anyOlderParts = false,
  onClose,
}: TeachDialogProps) {
  const formId = useId();
  const toast = useToast();
  const endSession = useSessionEnd();
  const maxBytes = useQuery(settingsQuery()).data?.maxPhotoBytes;
  const draftKey = teachDraftKey(known?.id ?? null);
  const draft = useDraft(draftKey);
  const form = useForm({ schema: lessonSchema(known), initial: EMPTY, draftKey, alert: true });
  const [photos, setPhotos] = useState<Photo[]>([]);
  const [nPreparing, setNPreparing] = useState(0);
  const [refusal, setRefusal] = useState<TeachingRefusal | null>(null);
  const isShown = useIsShown();
  const teach = useMutation({
    mutationFn: catalogMutations.teach,
    onSuccess: (taught) => {
      toast({
        title: 'Part taught',
        description: `The next scan can find ${taught.name}. It has ${countOf(taught.references.length, 'photo')}.`,
      });
      onClose();
    },
    onError: (error, { photos: sent }) => {
      if (isSignedOut(error)) {
        form.refuse(error);
        // What is typed is kept by the form; photos are too large for its storage.
        void draft.keepFiles(sent).then(endSession);
        return;
      }
      const why = teachingRefusal(error);
      if (isShown.current) setRefusal(why);
      // Whoever left meanwhile sees no form that could say it.
      else toast({ title: 'Part not taught', description: why.message, tone: 'bad' });
    },
  });

  const sentPart = teach.variables?.part;
  const sentName = sentPart !== undefined && 'name' in sentPart ? sentPart.name : null;
  const hasPhotos = photos.length + nPreparing > 0;
  useUnsavedWork(hasPhotos);
  const { close, question } = useGuardedClose(form.isChanged || hasPhotos, onClose);
  useEffect(() => {
    void draft.takeFiles().then((kept) => {
      // Photos that were chosen meanwhile are newer than those that were kept.
      if (kept.length > 0) setPhotos((current) => (current.length > 0 ? current : kept));
    });
  }, [draft]);

  const refuse = (message: string, field: TeachingRefusal['field']) =>
    setRefusal({ message, field, photo: null, pictureUrl: null, resembles: null });
  const send = (lesson: Pick<Lesson, 'part' | 'shopPartId'>, acceptCollision: boolean) => {
    if (teach.isPending || nPreparing > 0) return;
    const wrong = photosRefusal(photos, maxBytes);
    if (wrong !== null) {
      refuse(wrong, 'image');
      return;
    }
    setRefusal(null);
    teach.mutate({ ...lesson, photos, acceptCollision });
  };
  const submit = (acceptCollision: boolean) =>
    form.submit(
      (lesson) => send(lesson, acceptCollision),
      (message) => refuse(message, null),
    );
  const removePhoto = (index: number) => {
    setPhotos((current) => current.filter((_, other) => other !== index));
    setRefusal(null);
  };

  return (
    <>
      <Dialog
        open
        busy={teach.isPending}
        onOpenAutoFocus={focusFirstField}
        onClose={close}
        title={known === null ? 'Teach a Part' : `Add Photos of ${known.name}`}
        description="The photos stay on this server. They are checked before they are kept."
        className="max-w-xl"
        footer={
          <>
            <Button disabled={teach.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              form={formId}
              look="primary"
              disabled={teach.isPending || nPreparing > 0}
            >
              {teach.isPending ? 'Checking the photos...' : 'Teach'}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          aria-label="Teach a part"
          className="grid grid-cols-1 gap-4"
          onSubmit={submit(false)}
        >
          {refusal !== null && (
            <Collision
              refusal={refusal}
              photo={refusal.photo === null ? null : (photos[refusal.photo] ?? null)}
              onAccept={() => void submit(true)()}
              onRemove={() => {
                if (refusal.photo !== null) removePhoto(refusal.photo);
              }}
            />
          )}
          {refusal?.field === 'name' && sentName !== null && <KnownType name={sentName} />}
          {known === null && (
            <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
              <Field
                label="Name"
                placeholder="EGR valve, 2.0 TDI"
                required
                maxLength={NAME_MAX_LENGTH}
                autoComplete="off"
                {...form.bind('name')}
                aria-invalid={form.isInvalid('name') || refusal?.field === 'name'}
              />
              <SelectField
                label="Category"
                required
                {...form.bind('category')}
                aria-invalid={form.isInvalid('category') || refusal?.field === 'category'}
              >
                <option value="">Choose one</option>
                {CATEGORIES.map((one) => (
                  <option key={one} value={one}>
                    {categoryName(one)}
                  </option>
                ))}
              </SelectField>
            </div>
          )}
          {shopParts.length > 0 && (
            <SelectField
              label="Part of your shop"
              hint={`A scan that looks like these photos then leads to it.${anyOlderParts ? OLDER_PARTS : ''}`}
              {...form.bind('shopPartId')}
              aria-invalid={refusal?.field === 'partId'}
            >
              <option value="">None in particular</option>
              {shopParts.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </SelectField>
          )}
          <PhotoPicker
            photos={photos}
            refused={refusal?.photo ?? null}
            invalid={refusal?.field === 'image'}
            nPreparing={nPreparing}
            onPreparing={(change) => {
              setNPreparing(change);
              setRefusal(null);
            }}
            onChange={(change) => {
              setPhotos(change);
              setRefusal(null);
            }}
            onRefusal={(message) => refuse(message, 'image')}
          />
        </form>
      </Dialog>
      {question}
    </>
  );
}
