import { describe, expect, it } from 'vitest';
import {
  IDLE,
  scanFlow,
  type ScanEvent,
  type ScanFlow,
} from '@/features/scanning/capture/scan-flow';
import { LIMIT_REACHED } from '@/features/scanning/scan-failure';
import { rotorView, waitingScan } from '@/testing/fixtures';

const photo = { blob: new Blob(['x']), name: 'rotor.png' };
const photos = [photo];
const analysing: ScanFlow = { state: 'analysing', attempt: 1, photos, here: false };

describe('scanFlow', () => {
  it('drops an answer that comes after the cancel', () => {
    const cancelled = scanFlow(analysing, { type: 'cancelled' });
    expect(cancelled).toEqual({ state: 'idle', attempt: 1, offered: photo });
    expect(scanFlow(cancelled, { type: 'answered', attempt: 1, view: rotorView })).toBe(cancelled);
  });

  it('drops an answer to a photo that another has overtaken', () => {
    const second = scanFlow(analysing, { type: 'submitted', attempt: 2, photos, here: false });
    expect(scanFlow(second, { type: 'answered', attempt: 1, view: rotorView })).toBe(second);
    expect(scanFlow(second, { type: 'failed', attempt: 1, failure: LIMIT_REACHED })).toBe(second);
  });

  it('offers no photo again once a result, or the last scan, is closed', () => {
    const limited = scanFlow(analysing, { type: 'failed', attempt: 1, failure: LIMIT_REACHED });
    const result = scanFlow(analysing, { type: 'answered', attempt: 1, view: rotorView });
    for (const flow of [limited, result]) {
      expect(scanFlow(flow, { type: 'closed' })).toMatchObject({ ...IDLE, attempt: 1 });
    }
  });

  it('hands a photo back that was to be cropped, but closes no answer for it', () => {
    const event: ScanEvent = { type: 'handed-back', photo };
    expect(scanFlow(IDLE, event)).toEqual({ state: 'idle', attempt: 0, offered: photo });
    const result = scanFlow(analysing, { type: 'answered', attempt: 1, view: rotorView });
    expect(scanFlow(result, event)).toBe(result);
  });

  it('shows an answer again until something else comes', () => {
    const result = scanFlow(analysing, { type: 'answered', attempt: 1, view: rotorView });
    const closed = scanFlow(result, { type: 'closed' });
    expect(scanFlow(closed, { type: 'shown-again' })).toBe(result);
    const gathering = scanFlow(closed, { type: 'opened' });
    expect(scanFlow(gathering, { type: 'shown-again' })).toBe(gathering);
    const settled = scanFlow(gathering, { type: 'settled' });
    expect(scanFlow(settled, { type: 'shown-again' })).toBe(settled);
  });

  it('shows a photo that is kept in this browser, and offers it to no second sending', () => {
    const here = scanFlow(IDLE, { type: 'submitted', attempt: 1, photos, here: true });
    const kept: ScanEvent = { type: 'kept', attempt: 1, scan: waitingScan };
    expect(scanFlow(here, kept)).toEqual({ state: 'kept', attempt: 1, photos, scan: waitingScan });
    expect(scanFlow(here, { type: 'cancelled' })).toMatchObject({ state: 'idle', offered: null });
  });
});

describe('several photos of one part', () => {
  const [front, back, edge] = ['front', 'back', 'edge'].map((name) => ({ ...photo, name }));
  if (front === undefined || back === undefined || edge === undefined) throw new Error('three');
  const gathering: ScanFlow = { state: 'gathering', attempt: 0, photos: [front, back] };

  it('begin with the one that was not answered, and with those of a result only where they are added', () => {
    const offering: ScanFlow = { state: 'idle', attempt: 1, offered: front };
    expect(scanFlow(offering, { type: 'opened' })).toMatchObject({ photos: [front] });
    const result: ScanFlow = { state: 'result', attempt: 1, view: rotorView, photos: [back] };
    expect(scanFlow(result, { type: 'opened' })).toMatchObject({ state: 'gathering', photos: [] });
    expect(scanFlow(result, { type: 'added', photos: [back] })).toMatchObject({ photos: [back] });
  });

  it('are no longer gathered once there is one of them or none', () => {
    expect(scanFlow(gathering, { type: 'settled' })).toEqual(gathering);
    const one = scanFlow(gathering, { type: 'removed', index: 0 });
    expect(scanFlow(one, { type: 'settled' })).toEqual({
      state: 'idle',
      attempt: 0,
      offered: back,
    });
  });

  it('end no scan that is under way', () => {
    expect(scanFlow(analysing, { type: 'added', photos: [front] })).toBe(analysing);
  });
});
