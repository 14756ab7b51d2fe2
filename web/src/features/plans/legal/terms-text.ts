import type { LegalParties, LegalSection } from '@/features/plans/legal/text';

export function termsSections({ legalEntity, supportEmail }: LegalParties): LegalSection[] {
  return [
    {
      title: '1. These terms',
      paragraphs: [
        `These Terms and Conditions are an agreement between you and ${legalEntity}, a limited liability company organized in the State of Oregon, United States ("we", "us"). They govern your use of Partsight, the service that identifies car parts from photographs and keeps maintenance records for your vehicles.`,
        'By confirming this text, or by using Partsight, you accept these terms. If you do not accept them, do not use Partsight.',
      ],
    },
    {
      title: '2. Who may use Partsight',
      paragraphs: [
        'You must be at least 13 years old. If you are under the age of majority where you live, a parent or legal guardian must agree to these terms on your behalf.',
      ],
    },
    {
      title: '3. What the identification is, and what it is not',
      paragraphs: [
        'Partsight compares your photograph with known types of parts by means of a machine-learning model. The name of the part, the percentage shown with it, prices, guides and buying advice are information, not a warranty. They can be incomplete or wrong.',
        'Before you buy, fit or remove a part, verify it against the part itself, its part number and the service manual of your vehicle. Work on brakes, steering, suspension, fuel systems and airbags can cause injury or death when done wrongly; leave it to a qualified mechanic if you are in doubt.',
      ],
    },
    {
      title: '4. Your account',
      paragraphs: [
        'Give correct information when you sign up, keep your password to yourself, and tell us promptly if you believe that somebody else uses your account. You are responsible for what is done with it. You may delete your account at any time on your account page.',
        'We may suspend or close an account that is used to break the law or these terms, or to disturb the service for others. Where that is possible we warn you first, and we return what you paid for a period that you can no longer use, unless the closure was your doing.',
      ],
    },
    {
      title: '5. Plans, payment and cancellation',
      paragraphs: [
        'The Basic plan includes a limited number of scans over the life of the account. Paid plans are billed in advance, in US dollars and through our payment provider, for the month or the year that you choose, and renew for the same period until they are cancelled.',
        'You can ask for cancellation at any time. It is processed within 24 hours, takes effect at the end of the period that has been paid for, and until then you keep what the plan includes. A change of price takes effect with the next period and is announced at least 30 days before.',
      ],
    },
    {
      title: '6. Fair use and intellectual property',
      paragraphs: [
        'Use Partsight as a person or through the interface for programs that your plan includes. Do not try to reach the data of others, do not probe or overload the service, do not resell it, and do not copy the catalogue or the models out of it by mass queries.',
        'Partsight, its texts, drawings, software and models belong to us or to those who license them to us. We grant you a personal, non-exclusive, non-transferable right to use the service as these terms allow. Software that is published under an open licence stays under that licence. Names of manufacturers, retailers and vehicles belong to their owners and are used only to describe.',
      ],
    },
    {
      title: '7. Your photographs',
      paragraphs: [
        'Your photographs remain yours. You grant us the right to store and process them as far as is needed to give you the service. Image data may also be used to improve the identification, for instance to train and to measure the models behind it. Upload only photographs that you have the right to use, and none that show people without their consent.',
      ],
    },
    {
      title: '8. Suppliers and other sites',
      paragraphs: [
        'Prices, stock and searches lead to retailers and sites that we do not run. A purchase there is a contract between you and the retailer; we are not a party to it and do not answer for their goods, prices or conduct.',
      ],
    },
    {
      title: '9. No warranty',
      paragraphs: [
        'To the extent that the law allows, Partsight is provided "as is" and "as available", without warranties of any kind, express or implied, including implied warranties of merchantability, fitness for a particular purpose and non-infringement. We do not promise that the service is free of errors or always available.',
      ],
    },
    {
      title: '10. Limitation of liability',
      paragraphs: [
        'To the extent that the law allows, we are not liable for indirect, incidental, special or consequential damages, or for lost profits, lost data, damage to a vehicle or the cost of a wrong part, arising from the use of Partsight. Our total liability for all claims is limited to the amount that you paid us in the twelve months before the claim arose. Nothing in these terms limits liability that cannot be limited by law.',
      ],
    },
    {
      title: '11. Changes',
      paragraphs: [
        'We may change these terms. If a change is material, we will ask you to accept the new text before you continue to use Partsight.',
      ],
    },
    {
      title: '12. Governing law',
      paragraphs: [
        'These terms are governed by the laws of the State of Oregon, without regard to its rules on conflicts of laws. Disputes belong before the state and federal courts located in Oregon, unless the law of your home gives you the right to another court.',
      ],
    },
    {
      title: '13. What else applies',
      paragraphs: [
        'If a part of these terms is not valid, the rest stays in force. That we do not enforce a right once does not mean that we give it up. You may not transfer your rights under these terms without our consent. These terms and the Privacy Policy are the whole agreement between you and us about Partsight.',
      ],
    },
    {
      title: '14. Contact',
      paragraphs: [`Questions about these terms reach ${legalEntity} at ${supportEmail}.`],
    },
  ];
}
