/** Something that an audit found to differ from the specification, or broken, and the tests that keep it mended. */
export type SpecificationLine = {
  line: string;
  /** Files below the root of the project, each with the name of a test as it stands there. */
  tests: [file: string, test: string][];
};

/** `specification-lines.spec.ts` fails when a line names a test that is not there. */
export const SPECIFICATION_LINES: SpecificationLine[] = [
  {
    line: 'The whole list of oil changes and repairs comes without `limit`, and an empty `vehicleId` is no filter',
    tests: [
      [
        'crates/api/tests/it/garage/oil_changes.rs',
        'the_list_is_whole_where_no_limit_is_asked_for',
      ],
      ['crates/api/tests/it/garage/repairs.rs', 'the_list_is_whole_where_no_limit_is_asked_for'],
    ],
  },
  {
    line: 'A next page is named only where one follows',
    tests: [
      [
        'crates/api/tests/it/garage/oil_changes.rs',
        'the_list_is_of_the_default_vehicle_or_of_another',
      ],
      ['crates/domain/src/garage/record_page.rs', 'one_record_more_says_whether_a_piece_follows'],
    ],
  },
  {
    line: 'The vehicle menu lists all vehicles',
    tests: [
      [
        'web/src/features/garage/vehicles/vehicles.test.tsx',
        'lists all of many, and leads to where they can be searched',
      ],
    ],
  },
  {
    line: '`recommendedBrands` and the brands of the oil modal',
    tests: [
      ['web/src/features/garage/oil/oil.test.tsx', 'names the brands %j'],
      [
        'crates/vehicle-data/src/oil/brands.rs',
        'each_make_of_the_table_is_on_the_list_of_makes_and_stands_once',
      ],
    ],
  },
  {
    line: 'Supplier prices stay live when another vehicle becomes the default',
    tests: [
      [
        'web/src/features/scanning/result/suppliers.test.tsx',
        'asks suppliers for its own vehicle when another is the default by now',
      ],
    ],
  },
  {
    line: 'Any error with "limit exceeded" refreshes the limits',
    tests: [
      [
        'web/src/api/query-client.test.ts',
        'refreshes the figures when the allowance is used up, and only then',
      ],
    ],
  },
  {
    line: 'Absent and null keys are alike',
    tests: [
      [
        'crates/api/tests/it/garage/oil_changes.rs',
        'an_edit_takes_what_is_null_for_what_is_absent',
      ],
    ],
  },
  {
    line: 'Annual billing of a plan that is paid by the month can be chosen',
    tests: [
      [
        'web/src/features/plans/subscription/plan-cards.test.tsx',
        'offers the other billing of a plan that is paid for',
      ],
    ],
  },
  {
    line: 'The parts browser folds away what cannot be on the default vehicle, with the reason',
    tests: [
      [
        'web/src/features/parts/browser/parts-browser.test.tsx',
        'folds away what cannot be on the vehicle, with the reason',
      ],
      [
        'crates/api/tests/it/parts/part_types.rs',
        'a_category_says_what_cannot_be_on_the_default_vehicle',
      ],
    ],
  },
  {
    line: 'A logo is taken, or refused before its preview',
    tests: [
      [
        'web/src/features/plans/company/company.test.tsx',
        'refuses a picture that the browser cannot show before its preview',
      ],
      ['web/e2e/plans/company.spec.ts', 'make a company, with a logo'],
    ],
  },
  {
    line: 'Priority and Dedicated support: the plan stands in the mail',
    tests: [
      [
        'crates/api/tests/it/plans/contact.rs',
        'the_mail_names_the_plan_that_includes_quicker_support',
      ],
    ],
  },
  {
    line: 'The profile image of the sign-in is copied, and shown in member rows',
    tests: [
      [
        'crates/api/tests/it/accounts/external_sign_in.rs',
        'the_picture_of_the_provider_is_copied_and_goes_where_it_goes',
      ],
      [
        'web/src/features/plans/company/team.test.tsx',
        'shows the picture of a member, and initials where there is none',
      ],
    ],
  },
  {
    line: 'An archived price gives "Plan Unavailable"',
    tests: [
      [
        'crates/api/tests/it/plans/payment_failures.rs',
        'a_price_that_is_archived_after_an_order_is_not_for_sale',
      ],
      [
        'web/e2e/plans/checkout.spec.ts',
        'without payments the plan is unavailable, and the plans follow',
      ],
    ],
  },
  {
    line: 'Days without a time are the same in every time zone',
    tests: [['web/src/lib/dates.test.ts', 'writes a day as it is, whatever the time zone']],
  },
  {
    line: 'Buy Now opens no offer that is sold out',
    tests: [['web/src/features/scanning/result/suppliers.test.tsx', 'buys nothing that %s']],
  },
  {
    line: 'The bell says that nothing is due only where nothing is',
    tests: [
      [
        'web/src/features/garage/alerts/alerts.test.tsx',
        'says that nothing is due only where no alert is hidden',
      ],
    ],
  },
  {
    line: 'Clear All clears what is in view',
    tests: [
      [
        'web/src/app/routes/history.test.tsx',
        'clears no scan beside the vehicle in view, and says whose scans go',
      ],
    ],
  },
  {
    line: 'No "Load more" on a complete list, and charts that hide no year for it',
    tests: [
      [
        'web/src/features/garage/oil-changes/oil-changes.test.tsx',
        'shows %i records in steps of %j, and no way on behind the last',
      ],
      [
        'web/src/features/garage/running-costs/model.test.ts',
        'leaves out the month and the year of which some is not loaded',
      ],
    ],
  },
  {
    line: 'A revoked picture is never shown',
    tests: [['web/src/hooks/use-photo-url.test.tsx', 'never shows an address that was given back']],
  },
  {
    line: 'What is due on 24 vehicles is one call, and the page of vehicles makes four',
    tests: [
      ['web/e2e/calls.spec.ts', 'a garage of 24 vehicles takes no more calls than one of one'],
      ['crates/api/tests/it/garage/maintenance.rs', 'what_is_due_on_all_vehicles_is_one_call'],
    ],
  },
  {
    line: 'A refusal before the body is read arrives',
    tests: [
      [
        'crates/api/tests/it/scanning/identify.rs',
        'a_signed_out_browser_gets_its_answer_for_a_large_photo_too',
      ],
    ],
  },
  {
    line: 'No screen is wider than 320 pixels, the API page included',
    tests: [
      ['web/e2e/screens.spec.ts', 'signed in'],
      [
        'web/e2e/api-docs.spec.ts',
        'a call is found, read and tried with the body that stands there',
      ],
    ],
  },
  {
    line: 'A failed payment can be paid from the app, and an order names its plan',
    tests: [
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'leads to the payment of a renewal that did not go through',
      ],
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'says how to pay for a subscription that is %s',
      ],
      ['crates/api/tests/it/plans/payments.rs', 'a_subscription_lives_from_order_to_lapse'],
    ],
  },
  {
    line: '"Payment successful!" only once the plan is in force',
    tests: [
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'thanks nobody for a payment that is not confirmed: %s',
      ],
    ],
  },
  {
    line: 'A downgrade says what it costs and what the team loses',
    tests: [
      [
        'web/src/features/plans/subscription/checkout-card.test.tsx',
        'says what a team loses with Business',
      ],
      [
        'web/src/features/plans/subscription/checkout-card.test.tsx',
        'says what a change to %s costs at once',
      ],
    ],
  },
  {
    line: 'Members see no Edit and no Remove that the server refuses',
    tests: [
      [
        'web/src/features/plans/company/team.test.tsx',
        'offers a plain member nothing that the server refuses',
      ],
    ],
  },
  {
    line: 'Back opens no closed part again',
    tests: [
      [
        'web/src/features/parts/browser/parts-browser.test.tsx',
        'opens no closed part again on the way back',
      ],
    ],
  },
  {
    line: 'No mail is promised where none is sent',
    tests: [
      [
        'web/src/features/accounts/auth/account.test.tsx',
        'promises no mail where the server sends none',
      ],
    ],
  },
  {
    line: 'Times have milliseconds everywhere',
    tests: [
      ['crates/api/src/wire_time.rs', 'a_moment_has_milliseconds_whatever_it_was_measured_in'],
    ],
  },
  {
    line: 'Answers for people have plain words',
    tests: [
      ['crates/api/tests/it/errors.rs', 'a_body_that_cannot_be_read_is_refused_in_plain_words'],
      ['crates/api/tests/it/errors.rs', 'a_query_that_cannot_be_read_is_refused_in_plain_words'],
    ],
  },
  {
    line: 'Unknown addresses and missing files answer 404',
    tests: [
      ['crates/api/tests/it/web.rs', 'a_path_without_a_page_is_not_found_on_a_page'],
      ['crates/api/tests/it/web.rs', 'a_missing_file_is_not_answered_with_a_page'],
    ],
  },
  {
    line: 'Stripe events that are handled are no errors in the log',
    tests: [
      [
        'crates/api/tests/it/plans/payment_events.rs',
        'an_event_that_only_we_can_read_is_no_error_in_the_log',
      ],
    ],
  },
  {
    line: 'Recalls stand with the vehicle and with the part in hand, and a service that is away is said so',
    tests: [
      [
        'web/e2e/garage/recalls.spec.ts',
        'recalls stand with the vehicle, and where the part in hand is named',
      ],
      [
        'web/e2e/garage/recalls.spec.ts',
        'a service that is away is said so, and asked again on request',
      ],
      ['crates/api/tests/it/garage/recalls.rs', 'a_part_has_the_recalls_that_name_it'],
    ],
  },
  {
    line: 'The tabs of an answer and the camera are near it on a phone',
    tests: [
      ['web/e2e/accounts/shop.spec.ts', 'on a phone the answer has its tabs and the camera near'],
      [
        'web/src/features/scanning/result/scan-result.test.tsx',
        'has between the answer and its tabs nothing that the tabs can hold',
      ],
    ],
  },
  {
    line: 'The miles to the next oil change count down',
    tests: [
      [
        'web/src/features/garage/oil-changes/oil-changes.test.tsx',
        'counts the miles down: at %i %s',
      ],
    ],
  },
  {
    line: 'Recommendations of oil changes stand by urgency',
    tests: [
      [
        'web/src/features/garage/oil-changes/oil-changes.test.tsx',
        'recommends the most urgent oil change first',
      ],
    ],
  },
  {
    line: 'An answer that is not sure, below a third of confidence, uses no allowance',
    tests: [
      [
        'crates/api/tests/it/scanning/identify.rs',
        'a_guess_below_a_third_of_confidence_uses_no_allowance',
      ],
    ],
  },
  {
    line: 'A cancellation request can be taken back',
    tests: [['crates/api/tests/it/plans/cancellations.rs', 'a_cancellation_request_is_taken_back']],
  },
  {
    line: 'A visitor has no 401 in the console',
    tests: [
      [
        'crates/api/tests/it/accounts/sign_in.rs',
        'a_page_that_only_asks_whether_somebody_is_signed_in_gets_no_error',
      ],
      ['web/src/api/user.test.ts', 'asks for a visitor without an error in the console'],
      ['web/e2e/screens.spec.ts', 'a visitor, without an error in the console'],
    ],
  },
  {
    line: 'Alerts that were dismissed stay so in another tab',
    tests: [
      [
        'web/src/features/garage/alerts/alerts.test.tsx',
        'stay dismissed in another tab, and until the browser is closed',
      ],
    ],
  },
  {
    line: 'Times of scans have their year',
    tests: [['web/src/lib/format-and-links.test.ts', 'writes the time of a scan with its year']],
  },
  {
    line: '"Add Vehicle" on Home opens the form',
    tests: [
      [
        'web/src/app/routes/vehicle.test.tsx',
        'opens the form for whoever was led here to add a vehicle, once',
      ],
    ],
  },
  {
    line: 'The oil tile says how sure a value of the table is',
    tests: [
      [
        'web/src/features/garage/oil/oil.test.tsx',
        'says on the tile of a value of our table that it is %f sure',
      ],
    ],
  },
  {
    line: 'A mileage above 999,999 is said to be so, however many digits it has; a decimal comma is no thousand',
    tests: [
      ['web/src/features/garage/oil-changes/oil-changes.test.tsx', 'refuses %s'],
      ['web/src/lib/numbers.test.ts', 'reads no whole number from %j'],
      ['web/src/lib/numbers.test.ts', 'hands the amount %j on as %j'],
    ],
  },
  {
    line: 'A year that is none is said to be so; what is filled in is not asked for',
    tests: [
      [
        'web/src/features/garage/vehicles/model.test.ts',
        'says which years there are where %s is none',
      ],
    ],
  },
  {
    line: "'Almost at your limit!' with 1 or fewer scans left",
    tests: [
      [
        'web/src/features/plans/subscription/allowance-card.test.tsx',
        'warns when %i of 2 scans are used: %s',
      ],
    ],
  },
  {
    line: 'An oil change that is past its miles stands before one that is due soon by its day',
    tests: [
      [
        'web/src/features/garage/oil-changes/oil-changes.test.tsx',
        'recommends what is past its miles before what is due soon by its day',
      ],
    ],
  },
  {
    line: 'The oil tile marks a common value beside one that the owner entered',
    tests: [
      [
        'web/src/features/garage/oil/oil.test.tsx',
        'says on the tile which of two values is not the owner’s: %s',
      ],
    ],
  },
  {
    line: "The price of a checkout is the plan's own, whatever its address says",
    tests: [
      [
        'web/src/features/plans/subscription/checkout.test.ts',
        'has the price of the plan and not "%s"',
      ],
    ],
  },
  {
    line: 'A cancellation request is taken back on its screen, and the dialog names the safe answer',
    tests: [
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'takes a request back, and asks for none by the word Cancel alone',
      ],
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'says that a request could not be taken back',
      ],
    ],
  },
  {
    line: 'An invitation leads to where photographs are refused to a judge elsewhere',
    tests: [
      [
        'web/src/features/plans/company/invitations.test.tsx',
        'leads to where photos can be refused to a judge elsewhere',
      ],
    ],
  },
  {
    line: 'The end of an open invitation is not cut off',
    tests: [
      ['web/src/features/plans/company/team.test.tsx', 'shows roles, and who has not answered'],
    ],
  },
  {
    line: 'A name at sign-up that is too long is said beside its field',
    tests: [
      [
        'web/src/features/accounts/auth/forms.test.tsx',
        'says of a name that is too long how long it may be, beside its field',
      ],
    ],
  },
  {
    line: 'Initials keep an emoji whole',
    tests: [
      ['web/src/features/accounts/auth/forms.test.tsx', 'has initials for %s %s: %s'],
      ['web/src/features/plans/company/model.test.ts', '%s is %s'],
    ],
  },
  {
    line: 'Why an API key is not made stays beside its field',
    tests: [
      [
        'web/src/features/accounts/api-keys/api-keys.test.tsx',
        'says beside each field why a key is not made',
      ],
    ],
  },
  {
    line: 'The suppliers of an open part have room on a phone',
    tests: [
      [
        'web/src/features/parts/browser/parts-browser.test.tsx',
        'keeps the head of an open part short, so that the rest has room on a phone',
      ],
    ],
  },
  {
    line: 'One scan is one scan',
    tests: [['web/src/features/accounts/api-keys/api-keys.test.tsx', 'speaks of one scan as one']],
  },
  {
    line: 'A change that has to be confirmed asks for the difference, and welcomes to no plan before that is in force',
    tests: [
      [
        'web/src/features/plans/subscription/checkout-card.test.tsx',
        'asks for the difference alone where a change has to be confirmed, and says what was paid for',
      ],
      [
        'web/src/features/plans/subscription/manage-subscription.test.tsx',
        'welcomes nobody to the plan from before while another one is being paid for',
      ],
    ],
  },
  {
    line: 'Annual billing stays in view on the way back from a checkout',
    tests: [
      [
        'web/src/features/plans/subscription/plan-cards.test.tsx',
        'keeps the billing in view for the way back from a checkout',
      ],
    ],
  },
  {
    line: 'A company whose plan has ended says so, and offers no adding of people',
    tests: [
      [
        'web/src/features/plans/company/team.test.tsx',
        'offers %s nothing that needs a plan that has ended',
      ],
    ],
  },
  {
    line: 'Deleting an account says that its company and its paid plan end with it',
    tests: [
      [
        'web/src/app/routes/profile/ends-with-account.test.ts',
        'says that a company and a plan of one’s own go with the account',
      ],
      [
        'web/src/features/accounts/auth/account.test.tsx',
        'says before an account is deleted what ends with it',
      ],
    ],
  },
];
