import { RotateCw } from 'lucide-react';
import { useRef, type ComponentProps, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { calledOf, type BenchLine } from '@/features/bench/list/model';
import { useFocusHeir } from '@/hooks/use-focus-heir';

type RetryProps = Pick<ComponentProps<typeof Button>, 'size'> & {
  line: BenchLine;
  /** Has the focus once the photo is sent, and the button goes. */
  heir: RefObject<HTMLElement | null>;
  onRetry: (line: BenchLine) => void;
};

/** Sends a photo again that was refused. */
export function Retry({ line, heir, onRetry, ...look }: RetryProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusHeir(button, () => heir.current);
  return (
    <Button
      {...look}
      ref={button}
      aria-label={`Retry ${calledOf(line)}`}
      onClick={() => onRetry(line)}
    >
      <RotateCw className="size-4" aria-hidden />
      Retry
    </Button>
  );
}
