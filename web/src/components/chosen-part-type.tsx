import { useQuery } from '@tanstack/react-query';
import { partTypeQuery } from '@/api/part-type';
import { Button } from '@/components/ui/button';

type ChosenPartTypeProps = {
  label: string;
  /** What stands before the name. */
  lead?: string;
  /** Says what `onDrop` does. */
  dropLabel: string;
  onDrop: () => void;
};

/** A part type that a form has, by its name, with the way to another or to none. */
export function ChosenPartType({
  label,
  lead = 'Part type:',
  dropLabel,
  onDrop,
}: ChosenPartTypeProps) {
  const { data, isPending } = useQuery(partTypeQuery(label));
  return (
    <div className="col-span-full flex items-center justify-between gap-3 rounded-md border p-3 text-sm">
      <p>
        <span className="text-muted">{lead}</span>{' '}
        <span className="font-medium">{isPending ? '…' : (data?.name ?? label)}</span>
      </p>
      <Button size="small" onClick={onDrop}>
        {dropLabel}
      </Button>
    </div>
  );
}
