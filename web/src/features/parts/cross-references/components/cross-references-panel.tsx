import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { ListRows } from '@/features/parts/cross-references/components/list-rows';
import { UploadDialog } from '@/features/parts/cross-references/components/upload-dialog';
import { UPLOAD_DRAFT } from '@/features/parts/cross-references/model';
import { useHasDraft } from '@/hooks/use-draft';

type CrossReferencesPanelProps = {
  /** Whether the plan includes uploads. */
  inPlan: boolean;
};

/** The cross-references of the shop, and the way to bring a list in. */
export function CrossReferencesPanel({ inPlan }: CrossReferencesPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [uploading, setUploading] = useState(useHasDraft(UPLOAD_DRAFT));
  const upload = inPlan && (
    <Button look="primary" onClick={() => setUploading(true)}>
      <Upload className="size-4" aria-hidden />
      Upload a List
    </Button>
  );
  return (
    <>
      {!inPlan && (
        <Notice
          tone="info"
          title="Part of the Business plan"
          action={
            <Button asChild size="small">
              <Link to={paths.pricing}>See Plans</Link>
            </Button>
          }
        >
          With Business you upload which part numbers mean one part.
        </Notice>
      )}
      <Card
        aria-labelledby="cross-references-title"
        className="grid grid-cols-1 content-start gap-4"
      >
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-3">
          <h2 id="cross-references-title" ref={heading} tabIndex={-1} className="section-title">
            Lists of your shop
          </h2>
          {upload}
        </header>
        <ListRows heading={heading} emptyAction={upload} />
      </Card>
      {uploading && <UploadDialog onClose={() => setUploading(false)} />}
    </>
  );
}
