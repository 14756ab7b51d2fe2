import { Button } from '@/components/ui/button';

type FormButtonsProps = {
  label: string;
  /** What the first one says while the form is on its way. */
  busyLabel?: string;
  busy: boolean;
  onCancel: () => void;
};

/** The end of a form within a card: send it, or leave it. */
export function FormButtons({ label, busyLabel = 'Saving...', busy, onCancel }: FormButtonsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" look="primary" disabled={busy}>
        {busy ? busyLabel : label}
      </Button>
      <Button look="ghost" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
