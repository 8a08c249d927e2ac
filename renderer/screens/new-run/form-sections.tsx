/** The form's groups from top to bottom: fields that every run has, and the recipe's settings from their descriptions. */
import { SettingField } from './setting-field.tsx';
import { ModelField, ProcessorField } from './model-fields.tsx';
import { OutputField } from './output-field.tsx';
import { RowsField } from './rows-field.tsx';
import { settingOf, useForm } from './form.ts';
import type { FormSection } from './sections.ts';
import styles from './new-run.module.css';

const own = { model: ModelField, processor: ProcessorField, rowsFolders: RowsField, output: OutputField };

function OwnField({ name }: { name: string }) {
  const Field = own[name as keyof typeof own];
  return <Field />;
}

export function FormSections({ sections }: { sections: readonly FormSection[] }) {
  const form = useForm();
  return sections.map(({ title, before, settings, after }) => {
    const heading = `new-run-${title.toLowerCase().replace(/\W+/g, '-')}`;
    return (
      <section key={title} className={styles.group} aria-labelledby={heading}>
        <h2 id={heading}>{title}</h2>
        <div className={styles.fields}>
          {before.map((name) => (
            <OwnField key={name} name={name} />
          ))}
          {settings.map((name) => {
            const setting = settingOf(form, name);
            return setting && <SettingField key={name} setting={setting} />;
          })}
          {after.map((name) => (
            <OwnField key={name} name={name} />
          ))}
        </div>
      </section>
    );
  });
}
