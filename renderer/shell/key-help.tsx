/** All keys that act now, by what they belong to: the same lists that act. */
import { Dialog } from '../components/dialog.tsx';
import { Kbd } from '../components/kbd.tsx';
import { useKeyLayers } from '../navigation/keys.ts';
import styles from './key-help.module.css';

const title = 'Keys';

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const layers = useKeyLayers().filter((layer) => layer.title !== title && layer.bindings.length > 0);
  return (
    <Dialog title={title} onClose={onClose} width={720}>
      <div className={styles.columns}>
        {layers.toReversed().map((layer) => (
          <section key={layer.id} className={styles.layer}>
            <h3>{layer.title}</h3>
            <dl>
              {layer.bindings.map((binding) => (
                <div key={binding.keys} className={styles.line}>
                  <dt>
                    {(binding.shown ?? [binding.keys]).map((keys) => (
                      <Kbd key={keys} keys={keys} />
                    ))}
                  </dt>
                  <dd>
                    {binding.label}
                    {binding.disabled && <span className="third"> (not now)</span>}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="note third">
        Single letters do nothing while a field has the focus. Tab goes through all controls.
      </p>
    </Dialog>
  );
}
