//! A page looks through so many rows and not further, and says how far it came.

use dipmo_store::admin::{Browse as _, InstanceFilter, MessageFilter, Page};
use dipmo_store_tests::support::{alone, event, row_of, stored};

use crate::folder::Folder;

/// So many ids a page looks through.
const MOST: i64 = 10_000;

/// What is rare is found page by page: those before it are empty, and lead on.
#[tokio::test]
async fn an_empty_page_leads_on() {
    let folder = Folder::new();
    let store = folder.store().await;
    let rare = stored(&store, &[event("F-1", 1)]).await[0];
    let others: Vec<_> = (0..MOST + 5).map(alone).collect();
    let others = stored(&store, &others).await;
    let topic = Some("suite".to_owned());
    let filter = MessageFilter { topic, ..MessageFilter::default() };
    let first = store.messages(&filter, Page::first(50)).await.unwrap();
    assert_eq!(first.rows, []);
    assert_eq!(first.next, Some(others[5].0), "it looked at the newest {MOST}");
    let last = row_of(&store, others[5]).await.message.received_at;
    assert_eq!(first.searched_to, Some(last));
    let rest = store.messages(&filter, Page { limit: 50, before: first.next }).await.unwrap();
    assert_eq!(rest.rows.iter().map(|line| line.id).collect::<Vec<_>>(), [rare]);
    assert_eq!((rest.next, rest.searched_to), (None, None));
    let text = Some("F-1".to_owned());
    let filter = MessageFilter { text, ..MessageFilter::default() };
    let first = store.messages(&filter, Page::first(1)).await.unwrap();
    assert!(first.rows.is_empty() && first.next > Some(others[5].0), "payloads are read sooner");
}

/// The same for instances of a process.
#[tokio::test]
async fn instances_are_looked_through_in_parts() {
    let folder = Folder::new();
    let store = folder.store().await;
    let insert = format!(
        "INSERT INTO SUITE_PROCESS (ID, STATE, CONTEXT)
         WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {MOST})
         SELECT printf('I-%06d', i), iif(i < {MOST}, 'STARTED', 'ENDED'), '{{\"reference\":\"R\"}}' FROM n"
    );
    folder.look().execute_batch(&insert).unwrap();
    let filter = InstanceFilter { state: Some("ENDED".to_owned()), ..InstanceFilter::default() };
    let first = store.instances("SUITE", &filter, None, 10).await.unwrap();
    assert_eq!((first.rows.len(), first.next.as_deref()), (0, Some("I-009999")));
    let rest = store.instances("SUITE", &filter, first.next.as_deref(), 10).await.unwrap();
    assert_eq!((rest.rows.len(), rest.next), (1, None));
}
