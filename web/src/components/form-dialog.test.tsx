import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { FormDialog } from '@/components/form-dialog';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useDialog } from '@/hooks/use-dialog';
import { useForm } from '@/hooks/use-form';
import { renderScreen } from '@/testing/render';

const schema = z.object({ plate: z.string() });

type PlateDialogProps = {
  dialog: ReturnType<typeof useDialog>['props'];
  save: (body: { plate: string }) => Promise<void>;
};

function PlateDialog({ dialog, save }: PlateDialogProps) {
  const form = useForm({ schema, initial: { plate: '' }, alert: true });
  return (
    <FormDialog
      {...dialog}
      title="Edit Vehicle"
      description="Civic"
      submitLabel="Save Changes"
      form={form}
      save={save}
      onSaved={() => undefined}
      fallback="Failed to update vehicle."
    >
      <Field label="License plate" {...form.bind('plate')} />
    </FormDialog>
  );
}

/** A form whose save ends when the test says so. */
function open() {
  let saving: { resolve: () => void; reject: (reason: Error) => void } | undefined;
  const send = () =>
    new Promise<void>((resolve, reject) => {
      saving = { resolve, reject };
    });
  function Screen() {
    const editing = useDialog();
    const [left, setLeft] = useState(false);
    return (
      <>
        <Button onClick={editing.show}>Edit</Button>
        <Button onClick={() => setLeft(true)}>Back</Button>
        {!left && <PlateDialog key={editing.turn} dialog={editing.props} save={send} />}
      </>
    );
  }
  return { saving: () => saving, ...renderScreen(<Screen />) };
}

const dialog = () => screen.queryByRole('dialog', { name: 'Edit Vehicle' });

async function typeAndSave({ person }: Pick<ReturnType<typeof open>, 'person'>) {
  await person.click(screen.getByRole('button', { name: 'Edit' }));
  await person.type(screen.getByLabelText('License plate'), 'AAA1');
  await person.click(screen.getByRole('button', { name: 'Save Changes' }));
  expect(screen.getByRole('button', { name: 'Saving...' })).toBeDisabled();
}

it('stays while it saves, and closes once that is done', async () => {
  const view = open();
  await typeAndSave(view);
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  await view.person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(dialog()).toBeVisible();
  view.saving()?.resolve();
  await waitFor(() => expect(dialog()).not.toBeInTheDocument());
});

it('says in a toast why nothing was saved after it was left', async () => {
  const view = open();
  await typeAndSave(view);
  // As the browser's own button, which no dialog covers.
  fireEvent.click(screen.getByText('Back'));
  await waitFor(() => expect(dialog()).not.toBeInTheDocument());
  view.saving()?.reject(new Error('Refused'));
  expect(await screen.findByText('Failed to update vehicle.')).toBeVisible();
});
