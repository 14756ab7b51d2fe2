import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import { ManagersOnly } from '@/components/managers-only';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { setGradeScale } from '@/features/batches/mutations';
import { gradeQueries } from '@/features/batches/queries';

type GradeSettingsProps = {
  /** Whether the viewer may change what the shop shares; undefined until that is known. */
  mayChange: boolean | undefined;
};

/** The grades that a shop gives. */
export function GradeSettings({ mayChange }: GradeSettingsProps) {
  const scale = useQuery(gradeQueries.scale());
  return (
    <Card aria-labelledby="scale-title" className="grid grid-cols-1 gap-4">
      <h2 id="scale-title" className="section-title">
        Scale
      </h2>
      {mayChange === false && <ManagersOnly />}
      <QueryState query={scale} what="The grades" label="Loading the grades" />
      {scale.data != null && (
        <ScaleForm
          key={scale.data.grades.join()}
          grades={scale.data.grades}
          mayChange={mayChange}
        />
      )}
    </Card>
  );
}

function ScaleForm({ grades, mayChange }: GradeSettingsProps & { grades: string[] }) {
  const [text, setText] = useState(grades.join(', '));
  const toast = useToast();
  const save = useMutation({
    mutationFn: setGradeScale,
    onSuccess: () => toast({ title: 'Scale saved', description: 'New grades use this scale.' }),
  });
  return (
    <form
      aria-label="Scale of grades"
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(text.split(',').map((name) => name.trim()));
      }}
    >
      <Field
        label="Grades, the best first"
        hint="With commas between. Grades that were given keep their names."
        value={text}
        readOnly={mayChange !== true}
        onChange={({ target }) => setText(target.value)}
        error={save.error === null ? undefined : sentenceOf(save.error, 'Please try again.')}
        className="min-w-0 flex-1 basis-64"
      />
      {mayChange === true && (
        <Button
          type="submit"
          look="primary"
          disabled={save.isPending || text === grades.join(', ')}
        >
          Save
        </Button>
      )}
    </form>
  );
}
