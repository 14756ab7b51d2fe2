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
  /** How often the pointer moved on it; 0 while it is elsewhere or rests. */
  const [moves, setMoves] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    if (moves === 0) return;
    const timer = setTimeout(() => setMoves(0), UNDO_MS);
    return () => clearTimeout(timer);
  }, [moves]);
  const isHeld = moves > 0 || isFocused;
  const { key } = line;
  useEffect(() => (isHeld ? hold(key) : undefined), [isHeld, hold, key]);
  return (
    <Button
      {...look}
      aria-label={`Put back ${calledOf(line)}`}
      onClick={() => onPutBack(line)}
      // Not where it comes to lie under a pointer that rests, as where Take Out was pressed in the list.
      onPointerMove={() => setMoves((count) => count + 1)}
      onPointerLeave={() => setMoves(0)}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
    >
      <Undo2 className="size-4" aria-hidden />
      Put Back
      {children}
    </Button>
  );
}
