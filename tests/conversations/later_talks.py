"""Five long conversations written after the summary's rule: eight facts each that later turns need, among noisy talk."""

NOISE_EN = [
    (
        "run it again?",
        "I ran it: 214 passed, 3 skipped in 12.4 s. Nothing unusual in the output, the warnings are the ones we saw before.",
    ),
    (
        "what does line 88 do",
        "Line 88 reads the next chunk and hands it to the parser. If the chunk is empty, the loop ends and the file is closed.",
    ),
    (
        "hm can you show the diff",
        "Here is the diff: 14 insertions, 6 deletions in parser.py. I moved the check up and renamed the variable to rest.",
    ),
    ("looks fine to me", "Great. I will leave it like that then and go on with the next file in the list."),
    (
        "and the tests for it?",
        "I added two small ones next to the others. They cover the empty chunk and the chunk of exactly 4096 bytes.",
    ),
    (
        "why is that slow",
        "Each call opens the file anew, which costs about 3 ms. For a handful of files that hardly matters in practice.",
    ),
    (
        "typo in the heading",
        "Fixed, thanks for spotting it. I also checked the other headings on that page while I was there.",
    ),
    (
        "what's the weather like where you are lol",
        "I have no weather, but I can imagine it is pleasant. Shall we go back to the parser?",
    ),
]
NOISE_ZH = [
    ("再跑一遍", "跑完了：214 个通过，3 个跳过，用时 12.4 秒，警告和之前一样，没有新的。"),
    ("88 行是干嘛的", "88 行读下一块内容交给解析器，如果块是空的循环就结束，文件随之关闭。"),
    ("把改动给我看看", "改动如下：parser.py 增加 14 行删除 6 行，把检查提前了，变量改名叫 rest。"),
    ("看着还行", "好，那就先这样，我接着看列表里的下一个文件。"),
    ("慢在哪", "每次调用都重新打开文件，大约 3 毫秒，文件少的时候其实感觉不出来。"),
    ("标题有错字", "改好了，谢谢提醒，顺手把那一页别的标题也检查了一遍。"),
]
MOVE = [
    (
        "U",
        "ok so we're moving flats on 28 August, from Ghent to Antwerp, third floor no lift.",
        ["28 August", "Antwerp"],
    ),
    (
        "U",
        "the piano can't be carried by the movers unless they bring a second man, they charge 140 for that",
        ["140"],
    ),
    ("A", "Then I'd book Verhuis Peeters, their quote of 890 euros includes the boxes.", ["Peeters"]),
    (
        "U",
        "fine, go with them. but don't call my landlord, only write, he wants everything on paper",
        ["landlord"],
    ),
    ("U", "my electricity contract number is 7731-20-B btw", ["7731-20-B"]),
    ("U", "we haven't heard from the school in Antwerp yet whether Mila gets a place", ["Mila"]),
    ("U", "I'm away from the 12th to the 15th so nothing on those days please", ["12th"]),
]
GAME = [
    (
        "U",
        "The game is called Low Tide, a co-op puzzle for two players, target is Steam Deck at 40 fps.",
        ["Low Tide", "40 fps"],
    ),
    ("U", "no third-party shaders, the license thing burnt us once", ["shaders"]),
    ("A", "Agreed: save files stay JSON and get a version field, currently schema 4.", ["schema 4"]),
    ("U", "Tomás does the music, he delivers on 3 October at the latest", ["3 October"]),
    (
        "U",
        "the crash on level 6 came from the audio thread, not from the loader as we thought",
        ["audio thread"],
    ),
    ("U", "explain shader stuff to me slowly, I'm a level designer by trade", ["level designer"]),
    ("U", "still open: do we drop the split screen? Ask me again after the playtest", ["split screen"]),
]
CLINIC = [
    (
        "U",
        "I run a physio practice with four treatment rooms in Bristol, we use Cliniko for bookings.",
        ["Cliniko", "four"],
    ),
    ("U", "reminders go out 26 hours before, never by phone call, patients hate that", ["26 hours"]),
    ("U", "Room 2 is wheelchair accessible, the others aren't", ["Room 2"]),
    ("A", "So the rule is: a no-show is charged 25 pounds from the second time on.", ["25 pounds"]),
    ("U", "yes. And Aisha isn't allowed to do dry needling yet, her certificate comes in spring", ["Aisha"]),
    ("U", "we close the books on the 5th of each month with Xero", ["Xero"]),
    ("U", "I need the insurance letter by Thursday noon", ["Thursday"]),
]
FARM = [
    ("U", "我在烟台种了六十亩苹果，主要是红富士，今年头一回搞直播卖。", ["烟台", "红富士"]),
    ("U", "快递只发顺丰，别的路上烂得厉害。", ["顺丰"]),
    ("A", "那就定五斤装一箱 49.9 元，满两箱减八块。", ["49.9"]),
    ("U", "行。坏果赔付四十八小时内拍照就赔，不要让客户退货。", ["四十八小时"]),
    ("U", "我普通话不好，脚本写短句，别用书面语。", ["短句"]),
    ("U", "冷库是跟老姜租的，租到明年三月底，电费另算。", ["三月底"]),
    ("U", "农残检测报告还没下来，等镇上周三回话。", ["农残"]),
]
CLASS = [
    ("U", "我带高二两个班，一共九十三个学生，教物理，用人教版。", ["九十三", "人教版"]),
    ("U", "月考定在十一月七号，范围到动量守恒，机械振动不考。", ["十一月七号", "振动"]),
    ("U", "出题选择题八道，不要多选，上次家长有意见。", ["多选"]),
    ("A", "好，那就满分一百，选择四十，实验二十，计算四十。", ["实验二十"]),
    ("U", "三班有个孩子色盲，图不要靠颜色区分。", ["色盲"]),
    ("U", "答案别跟卷子放一起，单独给我，我打印室密码是 0417。", ["0417"]),
    ("U", "还没定监考老师，等教务处通知。", ["监考"]),
]
LATER_TALKS = {"move": MOVE, "game": GAME, "clinic": CLINIC, "farm": FARM, "class": CLASS}
