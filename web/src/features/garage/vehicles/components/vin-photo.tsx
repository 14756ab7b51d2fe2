import { useMutation } from '@tanstack/react-query';
import { ScanBarcode } from 'lucide-react';
import { useRef, useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { PHOTO_FILES } from '@/lib/photos/photo';
import { readablePhoto } from '@/lib/photos/shrink-photo';

type VinPhotoProps = {
  /** The number in the field. */
  value: string;
  onVin: (vin: string) => void;
};

type Asked = { photo: File; valueBefore: string };

/** Reads the VIN from a photo of the door jamb, the windshield or a document. */
export function VinPhoto({ value, onVin }: VinPhotoProps) {
  const input = useRef<HTMLInputElement>(null);
  // Whether the number was changed while the photo was read; it is then not overwritten.
  const [isTyped, setIsTyped] = useState(false);
  const read = useMutation({
    mutationFn: async ({ photo }: Asked) =>
      vehicleMutations.readVin(await readablePhoto({ blob: photo, name: photo.name })),
    onSuccess: ({ vins }, { valueBefore }) => {
      const isUntouched = value === valueBefore;
      setIsTyped(!isUntouched);
      const sure = sureOf(vins);
      if (sure !== undefined && isUntouched) onVin(sure.vin);
    },
  });
  const vins = read.data?.vins ?? [];
  const sure = sureOf(vins);
  const asks = sure === undefined || (isTyped && value !== sure.vin);
  return (
    <div className="mt-2 grid gap-2">
      <Button
        size="small"
        className="w-fit"
        // Not `disabled`: the button keeps the focus.
        aria-disabled={read.isPending}
        onClick={() => {
          if (!read.isPending) input.current?.click();
        }}
      >
        <ScanBarcode className="size-4" aria-hidden />
        {read.isPending ? 'Reading the photo...' : 'Read VIN from a Photo'}
      </Button>
      <input
        ref={input}
        type="file"
        accept={PHOTO_FILES}
        aria-label="Photo of the VIN"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Choosing the same file twice must count as a choice.
          event.target.value = '';
          if (file !== undefined) read.mutate({ photo: file, valueBefore: value });
        }}
      />
      <div role="status" className="text-sm text-soft empty:hidden">
        {sure?.vin === value && <p>{sayingOf(sure)}</p>}
        {read.data?.vins.length === 0 && (
          <p>
            No VIN was found on the photo. Photograph the label in the door jamb, or the plate
            behind the windshield, close up and without glare.
          </p>
        )}
      </div>
      {vins.length > 0 && asks && (
        <fieldset className="grid gap-2 rounded-md border p-3">
          <legend className="px-1 text-sm">
            {vins.length === 1 ? 'Does this one stand there?' : 'Which one stands there?'}
          </legend>
          {vins.map((found) => (
            <div key={found.vin}>
              <Button
                size="small"
                className="w-fit font-mono"
                onClick={() => {
                  onVin(found.vin);
                  read.reset();
                }}
              >
                {found.vin}
                {found.checkDigitFits && (
                  <span className="font-sans text-xs">check digit fits</span>
                )}
              </Button>
              {isCorrected(found) && (
                <p className="mt-1 text-xs wrap-anywhere text-muted">“{found.readAs}” was read.</p>
              )}
            </div>
          ))}
        </fieldset>
      )}
      {read.isError && (
        <p role="alert" className="text-sm text-bad">
          {sentenceOf(read.error, 'The photo could not be read. Try again, or type the number.')}
        </p>
      )}
    </div>
  );
}

/**
 * The one number that is beyond doubt: the only one, or of several the only one whose check digit
 * fits; and no character of it was taken for another.
 */
function sureOf(vins: Schemas['VinOnPhoto'][]): Schemas['VinOnPhoto'] | undefined {
  const likely = vins.length === 1 ? vins : vins.filter(({ checkDigitFits }) => checkDigitFits);
  const [first, ...others] = likely;
  return first !== undefined && others.length === 0 && !isCorrected(first) ? first : undefined;
}

/** Whether another text was read than that no number has I, O and Q explains. */
function isCorrected({ vin, readAs }: Schemas['VinOnPhoto']): boolean {
  const read = readAs
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replaceAll('I', '1')
    .replaceAll(/[OQ]/g, '0');
  return !read.includes(vin);
}

function sayingOf(found: Schemas['VinOnPhoto']): string {
  const where = found.source === 'barcode' ? 'Read from the code' : 'Read from the text';
  const check = found.checkDigitFits
    ? 'Its check digit fits.'
    : 'It has no fitting check digit: please compare it with the vehicle.';
  return `${where}. ${check}`;
}
