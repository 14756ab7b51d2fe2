import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import {
  DelimiterField,
  ListUploadDialog,
} from '@/features/parts/list-upload/components/list-upload-dialog';
import { UploadReport } from '@/features/parts/price-lists/components/upload-report';
import {
  DECIMAL_SIGN,
  EMPTY_PRICE_LIST,
  LIST_FIELDS,
  summaryOf,
  UPLOAD_DRAFT,
  uploadFault,
} from '@/features/parts/price-lists/model';
import { priceListMutations } from '@/features/parts/price-lists/mutations';

type UploadDialogProps = { onClose: () => void };

export function UploadDialog({ onClose }: UploadDialogProps) {
  return (
    <ListUploadDialog
      title="Upload a Price List"
      description="It is checked first. A list of the same name is replaced."
      what="Price list"
      hint="At most 100 MB and 1,000,000 rows"
      draftKey={UPLOAD_DRAFT}
      empty={EMPTY_PRICE_LIST}
      columns={LIST_FIELDS}
      faultOf={uploadFault}
      upload={priceListMutations.upload}
      summaryOf={summaryOf}
      report={(report) => <UploadReport report={report} />}
      onClose={onClose}
    >
      {(bind) => (
        <>
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <Field label="Supplier" required maxLength={100} {...bind('supplier')} />
            <Field
              label="Name of the list"
              placeholder="The supplier's"
              maxLength={100}
              {...bind('name')}
            />
            <Field
              label="Currency"
              hint="For rows that name none, such as USD or EUR"
              maxLength={3}
              {...bind('currency')}
            />
            <Field label="Phone" type="tel" {...bind('phone')} />
          </div>
          <details className="rounded-md border p-3">
            <summary className="cursor-pointer text-sm font-medium">
              More about the supplier
            </summary>
            <div className="mt-3 grid gap-4">
              <Field label="Website" type="url" {...bind('website')} />
              <Field
                label="Address of a part"
                hint="With places for {number}, {part}, {label}, {year}, {make} and {model}"
                placeholder="https://lee.example/search?q={number}"
                {...bind('urlTemplate')}
              />
              <Field label="Shipping" maxLength={200} {...bind('shippingInfo')} />
            </div>
          </details>
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <DelimiterField {...bind('delimiter')} />
            <SelectField label={DECIMAL_SIGN} {...bind('decimalSign')}>
              <option value="">Found automatically</option>
              <option value="point">Point</option>
              <option value="comma">Comma</option>
            </SelectField>
          </div>
        </>
      )}
    </ListUploadDialog>
  );
}
