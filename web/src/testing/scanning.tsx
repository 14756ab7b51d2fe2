import { fireEvent, screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { Scanner } from '@/features/scanning/capture/components/scanner';
import { useScanFlow } from '@/features/scanning/capture/use-scan-flow';
import { civic, rotorResult } from '@/testing/fixtures';
import { server } from '@/testing/server';

type BenchProps = {
  vehicle?: Schemas['Vehicle'] | null;
  hasScansLeft?: () => Promise<boolean>;
  onSignInNeeded?: (message: string) => void;
};

/** The scanner, and how far a scan is. */
export function Bench({ vehicle = civic, onSignInNeeded = vi.fn(), ...limits }: BenchProps) {
  const scan = useScanFlow({ userId: 'user-1', vehicle, onSignInNeeded, ...limits });
  return (
    <>
      <Scanner hasVehicle={vehicle !== null} scan={scan} />
      <p>flow: {scan.flow.state}</p>
    </>
  );
}

export const photo = new File(['pixels'], 'rotor.png', { type: 'image/png' });

/** Chooses these files as photos of the part. */
export function choose(...files: File[]) {
  fireEvent.change(screen.getByLabelText('Photo of the part'), { target: { files } });
}

export const png = (name: string) => new File([name], name, { type: 'image/png' });

/** Answers scans, and tells what the files of each say and which key it came under. */
export function identified(...refusals: (() => Response)[]) {
  const sent = vi.fn<(texts: string[], key: string | null) => void>();
  server.use(
    http.post('/api/identify', async ({ request }) => {
      const images = (await request.formData()).getAll('image') as File[];
      sent(
        await Promise.all(images.map((image) => image.text())),
        request.headers.get('Idempotency-Key'),
      );
      return refusals.shift()?.() ?? HttpResponse.json(rotorResult);
    }),
  );
  return sent;
}

/** The photos that are gathered. */
export const thumbnails = () =>
  within(screen.getByRole('list', { name: 'Photos to scan together' })).getAllByRole('listitem');
