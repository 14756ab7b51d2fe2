import { vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ScanResult } from '@/features/scanning/result/components/scan-result';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

/** Renders the answer of a scan, whose suppliers the server knows. */
export function openScanResult(
  view: ScanView,
  suppliers: Schemas['Supplier'][] = [],
  vehicles = [civic],
) {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers, sources: [] });
  const onClose = vi.fn();
  return {
    ...renderScreen(<ScanResult view={view} photos={[]} vehicles={vehicles} onClose={onClose} />),
    onClose,
  };
}
