import { screen } from '@testing-library/react';
import {
  isIn,
  lastTakenOut,
  nameOf,
  standingOf,
  type BenchLine,
} from '@/features/bench/list/model';
import { useBenchList } from '@/features/bench/list/use-bench-list';
import { ada, civic } from '@/testing/fixtures';

/** The list with a button that a part lying still presses. */
export function Bench({ onAnswer = () => undefined }: { onAnswer?: (line: BenchLine) => void }) {
  const list = useBenchList({ userId: ada.id, vehicle: civic, onAnswer });
  const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'bench.jpg' };
  const { current } = list;
  const undone = lastTakenOut(list.lines);
  return (
    <>
      <button onClick={() => void list.scan({ photo: Promise.resolve(photo), thumb: '' })}>
        Lay
      </button>
      <button onClick={() => current !== null && list.takeOut(current)}>Take out</button>
      <button onClick={() => undone !== null && list.putBack(undone)}>Put back</button>
      <button onClick={() => current !== null && list.choose(current, null)}>No part</button>
      {['Rim', 'Hose'].map((name) => (
        <button
          key={name}
          onClick={() => current !== null && list.choose(current, { label: name, name })}
        >
          {name}
        </button>
      ))}
      <button onClick={list.clear}>New list</button>
      <ul>
        {list.lines.map((line) => (
          <li key={line.key} data-name={nameOf(line)}>
            {isIn(line) ? standingOf(line) : 'Taken out'}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the list says of each part. */
export const lines = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
