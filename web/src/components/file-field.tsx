import { FileSpreadsheet } from 'lucide-react';
import { useId, useState } from 'react';
import { describedBy } from '@/components/ui/labelled';
import { classNames } from '@/lib/class-names';
import { formatBytes } from '@/lib/format';

type FileFieldProps = {
  file: File | null;
  /** What is asked for while there is no file. */
  label: string;
  hint: string;
  accept: string;
  name?: string;
  /** Why the file, or that there is none, is wrong. */
  error?: string | undefined;
  onFile: (file: File) => void;
};

/** A place to drop a file on, or to choose one by hand. */
export function FileField({ file, label, hint, accept, name, error, onFile }: FileFieldProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const first = files?.[0];
    if (first !== undefined) onFile(first);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
      className={classNames(
        'relative grid justify-items-center gap-1 rounded-lg border-2 border-dashed px-4 py-5 text-center transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent-strong has-aria-invalid:border-bad',
        over ? 'border-accent bg-accent-wash' : 'border-control/60 bg-canvas',
      )}
    >
      <FileSpreadsheet className="size-7 text-muted" aria-hidden />
      <label htmlFor={id} className="text-sm font-medium wrap-anywhere">
        {file === null ? label : file.name}
      </label>
      <p id={`${id}-hint`} className="text-xs text-muted">
        {file === null ? hint : `${formatBytes(file.size)} · choose another to replace it`}
      </p>
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
      <input
        id={id}
        type="file"
        name={name}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, { hint, error })}
        accept={accept}
        onChange={(event) => {
          take(event.target.files);
          // So that the same file, corrected meanwhile, may be chosen again.
          event.target.value = '';
        }}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
    </div>
  );
}
