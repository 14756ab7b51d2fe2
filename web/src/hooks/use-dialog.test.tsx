import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useDialog } from '@/hooks/use-dialog';

it('stays open when what an earlier opening began ends and closes it', () => {
  const { result } = renderHook(() => useDialog());
  act(() => result.current.show());
  const { onClose } = result.current.props;
  act(onClose);
  expect(result.current.props.open).toBe(false);
  act(() => result.current.show());
  act(onClose);
  expect(result.current.props.open).toBe(true);
});
