import { useRef, type ReactNode, type RefObject } from 'react';
import { Link } from 'react-router';
import { Logbook } from '@/components/pictures';
import { EmptyState } from '@/components/empty-state';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { BenchScreen, type BenchProps } from '@/features/bench/components/bench-screen';
import { useTurn } from '@/features/bench/use-turn';
import { useFocusHeir } from '@/hooks/use-focus-heir';

/** The bench, or where it is open in another tab, the way to have it here. */
export function OneBench(props: Omit<BenchProps, 'isWanted' | 'onLeave'>) {
  const { turn, takeOver, leave } = useTurn(props.userId);
  const room = useRef<HTMLDivElement>(null);
  if (turn === 'asking') return <Spinner label="Loading the bench" />;
  const isOurs = turn === 'ours' || turn === 'wanted';
  return (
    <div ref={room} tabIndex={-1} role="group" aria-label="Bench" className="outline-none">
      <Side key={String(isOurs)} heir={room}>
        {isOurs ? (
          <BenchScreen {...props} isWanted={turn === 'wanted'} onLeave={leave} />
        ) : (
          <Elsewhere isWaiting={turn === 'waiting'} onTakeOver={takeOver} />
        )}
      </Side>
    </div>
  );
}

/** One of the two, whose focus `heir` has when the other one takes its place. */
function Side({ heir, children }: { heir: RefObject<HTMLElement | null>; children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  useFocusHeir(area, () => heir.current);
  return <div ref={area}>{children}</div>;
}

type ElsewhereProps = { isWaiting: boolean; onTakeOver: () => void };

function Elsewhere({ isWaiting, onTakeOver }: ElsewhereProps) {
  return (
    <div className="page grid max-w-xl gap-5">
      <title>Partsight - Bench</title>
      <h1 className="page-title">Bench</h1>
      <EmptyState
        picture={<Logbook />}
        title="The bench is open in another tab"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button asChild>
              <Link to={paths.shop}>Back to the Shop</Link>
            </Button>
            <Button look="primary" onClick={onTakeOver}>
              Use It Here
            </Button>
          </div>
        }
      >
        One tab at a time has the camera and the running list, which comes along.
      </EmptyState>
      <p role="status" className="text-center text-sm text-soft">
        {isWaiting && 'The other tab leaves the bench once the answers on their way have come.'}
      </p>
    </div>
  );
}
