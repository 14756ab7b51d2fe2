import { screen } from '@testing-library/react';
import { createRef } from 'react';
import { expect, it, vi } from 'vitest';
import { UNPLUGGED } from '@/features/bench/camera/camera-problem';
import type { BenchCamera } from '@/features/bench/camera/use-bench-camera';
import { TableView } from '@/features/bench/components/table-view';
import { DEFAULT_SETTINGS } from '@/features/bench/settings';
import type { Phase } from '@/features/bench/watching/watcher';
import { renderScreen } from '@/testing/render';

function openTable(camera: BenchCamera, phase: Phase = 'empty') {
  const { person } = renderScreen(
    <TableView
      camera={camera}
      phase={phase}
      videoRef={createRef()}
      settings={DEFAULT_SETTINGS}
      hasVehicle
      confirms={null}
      onStart={vi.fn()}
      onStop={vi.fn()}
      onLearn={vi.fn()}
      onPedal={vi.fn()}
    />,
  );
  return person;
}

it.each([
  [{ state: 'off' }, 'Start the Camera', 'The camera is off'],
  [{ state: 'ready' }, 'Stop', 'Lay a part down'],
] as const)(
  'gives the focus of a button that goes to the heading: %o',
  async (camera, button, title) => {
    const person = openTable(camera);
    await person.click(screen.getByRole('button', { name: button }));
    expect(screen.getByRole('heading', { name: title })).toHaveFocus();
  },
);

it('tells those who listen that the camera is gone, or sees something else', () => {
  openTable({ state: 'lost', problem: UNPLUGGED });
  expect(screen.getByRole('status')).toHaveTextContent(/^The camera is gone\. Plug it in again/);
});

it.each([
  ['view-changed', /^The view has changed\. Clear the table/],
  ['learning', /^Leave the table empty\./],
  ['moving', /^$/],
] as const)('tells those who listen what has to be seen to: %s', (phase, text) => {
  openTable({ state: 'ready' }, phase);
  expect(screen.getByRole('status')).toHaveTextContent(text);
});
