-- Made with mem0ai 2.2.1 for these tests.
BEGIN TRANSACTION;
CREATE TABLE history (
                        id           TEXT PRIMARY KEY,
                        memory_id    TEXT,
                        old_memory   TEXT,
                        new_memory   TEXT,
                        event        TEXT,
                        created_at   DATETIME,
                        updated_at   DATETIME,
                        is_deleted   INTEGER,
                        actor_id     TEXT,
                        role         TEXT
                    );
INSERT INTO "history" VALUES('1da5b903-74c0-4f44-acd5-81e33a6cbb53','ca79cb99-f9bf-4fe4-8fae-30aad2833577',NULL,'Likes to play cricket on weekends','ADD','2026-11-22T04:06:54.640862+00:00','2026-11-22T04:06:54.640862+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('addd7d86-bf80-436b-aa67-722c120be8ab','fd903683-7878-440e-ac92-a181d5609a18',NULL,'我在上海工作','ADD','2026-11-22T04:06:54.662412+00:00','2026-11-22T04:06:54.662412+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('c1da36e7-8cbe-4481-a415-d5602cc38110','c0141244-8c64-4164-a4b8-a28b6444e42b',NULL,'I am vegetarian','ADD','2026-11-22T04:06:54.674768+00:00','2026-11-22T04:06:54.674768+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('dc27c9c6-4e71-4991-91e9-283053f0d322','dc956a21-b36d-4660-8389-526046e4e65b',NULL,'Good to know, I will suggest vegetarian dishes.','ADD','2026-11-22T04:06:54.686191+00:00','2026-11-22T04:06:54.686191+00:00',0,NULL,'assistant');
INSERT INTO "history" VALUES('7c33009a-16f5-4d27-94e8-06f7ebd01878','07991e51-fc9f-4031-8046-f2d8f1920689',NULL,'to be deleted','ADD','2026-11-22T04:06:54.705570+00:00','2026-11-22T04:06:54.705570+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('ab84ef2a-1a29-4e0d-8e55-a3885fd53b49','dacd5bab-8df4-4700-85cd-0dc74ca26f14',NULL,'Drinks tea','ADD','2026-11-22T04:06:54.722946+00:00','2026-11-22T04:06:54.722946+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('22e778a7-87a5-4ad7-aeb4-7b3af6167268','07991e51-fc9f-4031-8046-f2d8f1920689','to be deleted',NULL,'DELETE','2026-11-22T04:06:54.705570+00:00','2026-11-22T04:06:54.752314+00:00',1,NULL,'user');
INSERT INTO "history" VALUES('f6af141b-5aa9-484d-b0cf-fb4021283eda','ca79cb99-f9bf-4fe4-8fae-30aad2833577','Likes to play cricket on weekends','Likes to play tennis on weekends','UPDATE','2026-11-22T04:06:54.640862+00:00','2026-11-22T04:06:54.780204+00:00',0,NULL,'user');
COMMIT;
