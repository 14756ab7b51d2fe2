import { act, fireEvent, screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Grid } from '@/features/bench/watching/grid';
import { benchLine, openBench } from '@/testing/bench';
import { rotorResult } from '@/testing/fixtures';
import { note, server } from '@/testing/server';

/** What the pedal does with what lies under the camera, which the test draws. */

const WIDTH = 96;
const HEIGHT = 54;
let frame: Grid;
vi.mock('@/features/bench/camera/frames', () => ({
  frameReader: () => () => frame,
  shoot: () => ({
    photo: Promise.resolve({ blob: new Blob(['x']), name: 'bench.jpg' }),
    thumb: 'data:,',
  }),
}));
vi.mock('@/features/bench/camera/use-bench-camera', () => ({
  useBenchCamera: () => ({
    camera: { state: 'ready' },
    devices: [],
    videoRef: { current: document.createElement('video') },
    start: vi.fn(),
    stop: vi.fn(),
  }),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Shows the table with a part at each of `parts`, in cells from the left, until nothing more comes of it. */
function show(parts: number[]) {
  const cells = new Float32Array(WIDTH * HEIGHT).fill(120);
  for (const left of parts) {
    for (let y = 20; y < 34; y += 1) cells.fill(30, y * WIDTH + left, y * WIDTH + left + 16);
  }
  frame = { width: WIDTH, height: HEIGHT, cells };
  act(() => {
    vi.advanceTimersByTime(3000);
  });
}

const UNSURE = benchLine(1, {
  answer: {
    state: 'answered',
    scanId: 'scan-1',
    verdict: 'not-sure',
    isUnlike: false,
    candidates: [{ label: 'brake-rotor', name: 'Brake Rotor', confidence: 0.3 }],
    text: 'Not sure.',
    said: undefined,
  },
});

it('scans the next part, and confirms nothing about the one before, while it scans when asked only', async () => {
  localStorage.setItem('bench-settings', JSON.stringify({ isAutomatic: false }));
  const told = note('post', '/api/scans/scan-1/feedback', {});
  const sent = vi.fn();
  server.use(http.post('/api/identify', sent));
  show([]);
  openBench([UNSURE]);
  show([]);
  show([30]);
  fireEvent.click(screen.getByRole('button', { name: /^Scan Now/ }));
  await vi.waitFor(() => expect(sent).toHaveBeenCalledOnce());
  expect(told).not.toHaveBeenCalled();
});

it('confirms the best guess about the part that still lies there', async () => {
  const told = note('post', '/api/scans/scan-1/feedback', {});
  const unsure = { ...rotorResult, verdict: 'not-sure' };
  server.use(http.post('/api/identify', () => HttpResponse.json(unsure)));
  show([]);
  openBench([]);
  show([]);
  show([30]);
  const button = await screen.findByRole('button', { name: /^Confirm/ });
  show([]);
  expect(button).toHaveTextContent(/^Scan Now/);
  expect(told).not.toHaveBeenCalled();
});
