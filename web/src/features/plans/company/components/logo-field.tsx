import { ImagePlus } from 'lucide-react';
import { useId, useRef, type ChangeEvent } from 'react';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { CompanyLogo } from '@/features/plans/company/components/company-logo';
import {
  LOGO_SIDE,
  logoRefusal,
  NOT_A_PICTURE,
  shownLogo,
  type LogoEdit,
} from '@/features/plans/company/model';
import { dataUrlOf } from '@/lib/photos/data-url';
import { drawnPicture } from '@/lib/photos/drawn-picture';

type LogoFieldProps = {
  saved: string | null;
  edit: LogoEdit;
  onEdit: (edit: LogoEdit) => void;
};

/** Choosing a logo, with a look at it before it is saved. */
export function LogoField({ saved, edit, onEdit }: LogoFieldProps) {
  const toast = useToast();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const shown = shownLogo(edit, saved);

  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    // The same file may be chosen again after a change of mind.
    event.target.value = '';
    if (file === undefined) return;
    const refusal = logoRefusal(file);
    if (refusal !== null) {
      toast({ ...refusal, tone: 'bad' });
      return;
    }
    const picture = await drawnPicture(file, LOGO_SIDE);
    if (picture === null) {
      toast({ ...NOT_A_PICTURE, tone: 'bad' });
      return;
    }
    onEdit({ kind: 'set', file: picture, dataUrl: await dataUrlOf(picture) });
  };

  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Logo
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <CompanyLogo logo={shown} alt="Preview of the logo" />
        <input
          ref={input}
          id={id}
          type="file"
          accept="image/*"
          // The button beside it opens it: a screen reader would meet two controls for one thing.
          hidden
          onChange={(event) => void choose(event)}
        />
        <Button ref={chooser} size="small" onClick={() => input.current?.click()}>
          <ImagePlus className="size-4" aria-hidden />
          {shown === null ? 'Select Logo' : 'Change Logo'}
        </Button>
        {shown !== null && (
          <Button
            size="small"
            look="ghost"
            onClick={() => {
              onEdit(saved === null ? { kind: 'keep' } : { kind: 'remove' });
              // This button goes, and with it the focus.
              chooser.current?.focus();
            }}
          >
            Remove Logo
          </Button>
        )}
      </div>
      <p className="text-xs text-muted">An image of at most 5 MB.</p>
    </div>
  );
}
