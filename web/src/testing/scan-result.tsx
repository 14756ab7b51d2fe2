import type { ComponentProps } from 'react';
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
  props: Partial<ComponentProps<typeof ScanResult>> = {},
) {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers, sources: [] });
  return showScanResult(view, props);
}

/** The same, of which the server says what the test has it say. */
export function showScanResult(
  view: ScanView,
  props: Partial<ComponentProps<typeof ScanResult>> = {},
) {
  const onClose = vi.fn();
  return {
    ...renderScreen(
      <ScanResult view={view} photos={[]} vehicles={[civic]} onClose={onClose} {...props} />,
    ),
    onClose,
  };
}
