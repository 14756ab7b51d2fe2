import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { PartSearchBox } from '@/components/part-search-box';
import { foundPart } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

it('finds a type by the number of a part of the shop that is one', async () => {
  const rotor = { kind: 'part', label: 'brake-rotor', brand: 'Bosch' } as const;
  answer('get', '/api/parts/search', [
    foundPart({ ...rotor, id: 'part-1', number: '0 986 479 R51' }),
    foundPart({ ...rotor, id: 'part-2', number: '0 986 479 R52' }),
    foundPart(),
  ]);
  const choose = vi.fn();
  const { person } = renderScreen(<PartSearchBox label="Part" typesOnly onChoose={choose} />);
  await person.type(screen.getByRole('combobox', { name: 'Part' }), '0986479R5');
  expect(await screen.findAllByRole('option')).toHaveLength(2);
  await person.keyboard('{ArrowDown}{Enter}');
  expect(choose).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ kind: 'type', id: 'brake-rotor', label: 'brake-rotor' }),
    '0986479R5',
  );
});
