import { Undo2 } from 'lucide-react';
import { useEffect, useState, type ComponentProps, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { calledOf, UNDO_MS, type BenchLine } from '@/features/bench/list/model';

type PutBackProps = Pick<ComponentProps<typeof Button>, 'size'> & {
  line: BenchLine;
  onPutBack: (line: BenchLine) => void;
  /** Keeps the line of this key from going for good, until what it returns is called. */
  hold: (key: string) => () => void;
  children?: ReactNode;
};

/** Puts a part back. It does not go by itself from under the pointer or the focus of who is about to press it. */
export function PutBack({ line, onPutBack, hold, children, ...look }: PutBackProps) {
  /** When the pointer moved on it last; null while it is elsewhere or rests. */
  const [movedAt, setMovedAt] = useState<number | null>(null);
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    if (movedAt === null) return;
    const timer = setTimeout(() => setMovedAt(null), UNDO_MS);
    return () => clearTimeout(timer);
  }, [movedAt]);
  const isHeld = movedAt !== null || isFocused;
  const { key } = line;
  useEffect(() => (isHeld ? hold(key) : undefined), [isHeld, hold, key]);
  return (
    <Button
      {...look}
      aria-label={`Put back ${calledOf(line)}`}
      onClick={() => onPutBack(line)}
      // Not where it comes to lie under a pointer that rests, as where Take Out was pressed in the list.
      onPointerMove={({ timeStamp }) => setMovedAt(timeStamp)}
      onPointerLeave={() => setMovedAt(null)}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
    >
      <Undo2 className="size-4" aria-hidden />
      Put Back
      {children}
    </Button>
  );
}
